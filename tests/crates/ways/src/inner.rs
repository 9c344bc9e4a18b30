//! Locks within what a lock guards, and one lock taken before the last one is given back.

use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

/// To lock an element is not to lock the shelf once more.
#[derive(Default)]
pub struct Boxes {
    all: RwLock<Vec<Mutex<u64>>>,
    named: Mutex<HashMap<String, RwLock<u64>>>,
}

impl Boxes {
    pub fn clear_if_empty(&self) {
        let all = self.all.read().unwrap();
        let first = *all[0].lock().unwrap(); //~
        drop(all);
        if first == 0 {
            self.all.write().unwrap().clear(); //~
        }
    }

    pub fn clear_at_once(&self) {
        let mut all = self.all.write().unwrap();
        let first = *all[0].lock().unwrap();
        if first == 0 {
            all.clear();
        }
    }

    pub fn fill(&self, at: usize) {
        let all = self.all.read().unwrap();
        *all[at].lock().unwrap() += 1; //~
    }

    pub fn bump(&self, name: &str) {
        let named = self.named.lock().unwrap();
        let Some(count) = named.get(name) else { return };
        let before = *count.read().unwrap();
        *count.write().unwrap() = before + 1;
    }

    pub fn bump_apart(&self, name: &str) {
        let before = match self.named.lock().unwrap().get(name) {
            Some(count) => *count.read().unwrap(), //~
            None => return,
        };
        if let Some(count) = self.named.lock().unwrap().get(name) {
            *count.write().unwrap() = before + 1; //~
        }
    }
}

/// What is handed from lock to lock is one piece; what comes behind it is none.
#[derive(Default)]
pub struct Chain {
    first: Mutex<u64>,
    second: Mutex<u64>,
    one: Mutex<u64>,
    other: Mutex<u64>,
}

impl Chain {
    pub fn pass(&self) {
        let mut first = self.first.lock().unwrap();
        *first += *first / 2;
        let mut second = self.second.lock().unwrap();
        drop(first);
        *second += *second / 2;
        drop(second);
        let one = *self.one.lock().unwrap(); //~
        *self.one.lock().unwrap() = one / 2; //~
        let other = *self.other.lock().unwrap(); //~
        *self.other.lock().unwrap() = other / 2; //~
    }
}

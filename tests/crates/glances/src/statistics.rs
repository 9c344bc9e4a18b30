//! Numbers that are only counted, and told: where something is counted apart from what it is about, whoever is told how many there were is told so of some time.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Default)]
pub struct Filed {
    files: Mutex<HashMap<u32, String>>,
    hits: AtomicU64,
    cleared: AtomicU64,
}

impl Filed {
    pub fn file(&self, number: u32) -> Option<String> {
        let found = self.files.lock().unwrap().get(&number).cloned();
        if found.is_some() {
            self.hits.fetch_add(1, Relaxed);
        }
        found
    }

    pub fn put(&self, number: u32, file: String) {
        self.files.lock().unwrap().insert(number, file);
    }

    pub fn clear(&self) {
        let gone: Vec<_> = self.files.lock().unwrap().drain().collect();
        if !gone.is_empty() {
            self.cleared.fetch_add(gone.len() as u64, Relaxed);
        }
    }

    pub fn reset(&self) {
        self.files.lock().unwrap().clear();
        self.hits.store(0, Relaxed);
        self.cleared.store(0, Relaxed);
    }

    pub fn told(&self) -> (u64, u64) {
        (self.hits.load(Relaxed), self.cleared.load(Relaxed))
    }
}

/// How many there are decides whether one more is let in.
#[derive(Default)]
pub struct Capped {
    files: Mutex<HashMap<u32, String>>,
    filled: AtomicU64,
}

impl Capped {
    pub fn put(&self, number: u32, file: String) -> bool {
        if self.filled.load(Relaxed) >= 10 { //~
            return false;
        }
        self.files.lock().unwrap().insert(number, file); //~
        self.filled.fetch_add(1, Relaxed); //~
        true
    }

    pub fn clear(&self) {
        self.files.lock().unwrap().clear(); //~
        self.filled.store(0, Relaxed); //~
    }
}

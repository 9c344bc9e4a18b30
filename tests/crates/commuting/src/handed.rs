//! What goes into one capture of a closure or a future, or into one argument of an `async fn`, says nothing of the others.
use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, RwLock};

/// Who saw that it is not so yet makes it so, wherever that is written: it changes nothing where it is so already.
#[derive(Default)]
pub struct Beacon {
    lit: RwLock<bool>,
}

impl Beacon {
    pub fn is_lit(&self) -> bool {
        *self.lit.read().unwrap()
    }

    pub async fn light(&self, at: u64) {
        let lit = self.is_lit();
        self.kindle(at, lit).await;
    }

    async fn kindle(&self, _: u64, lit: bool) {
        if !lit {
            *self.lit.write().unwrap() = true;
        }
    }

    pub fn light_by(&self) {
        let lit = self.is_lit();
        self.run(|| {
            if !lit {
                *self.lit.write().unwrap() = true;
            }
        });
    }

    pub fn light_within(&self) {
        let lit = self.is_lit();
        std::thread::scope(|_| {
            if !lit {
                mem::replace(&mut *self.lit.write().unwrap(), true);
            }
        });
    }

    fn run(&self, work: impl FnOnce()) {
        work();
    }
}

/// Here what was seen is in what is stored.
#[derive(Default)]
pub struct Meter {
    level: Mutex<u64>,
    count: Mutex<u64>,
    peak: Mutex<u64>,
}

impl Meter {
    pub async fn raise(&self, by: u64) {
        let level = *self.level.lock().unwrap(); //~
        self.put(by, level).await;
    }

    async fn put(&self, by: u64, level: u64) {
        *self.level.lock().unwrap() = level + by; //~
    }

    pub fn add(&self, by: u64) {
        let count = *self.count.lock().unwrap(); //~
        self.run(|| {
            *self.count.lock().unwrap() = count * 2 + by; //~
        });
    }

    pub fn grow(&self, by: u64) -> u64 {
        let peak = *self.peak.lock().unwrap(); //~
        mem::replace(&mut *self.peak.lock().unwrap(), peak * 2 + by) //~
    }

    fn run(&self, work: impl FnOnce()) {
        work();
    }
}

/// The number that somebody gets is how many came before; two get the same.
#[derive(Default)]
pub struct Roll {
    numbers: Mutex<BTreeMap<String, usize>>,
}

impl Roll {
    pub fn enter(&self, name: String) {
        let number = self.numbers.lock().unwrap().len(); //~
        self.numbers.lock().unwrap().entry(name).or_insert(number); //~
    }

    /// One look, one number.
    pub fn enter_at_once(&self, name: String) {
        let mut numbers = self.numbers.lock().unwrap();
        let number = numbers.len();
        numbers.entry(name).or_insert(number);
    }

    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.lock().unwrap().get(name).copied()
    }
}

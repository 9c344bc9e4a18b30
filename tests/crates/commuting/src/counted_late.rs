//! What is put in and only then counted, and counted off by whoever has taken it out before.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whoever asks how much room there is finds less than nothing in use.
#[derive(Default)]
pub struct Depot {
    crates: Mutex<VecDeque<u64>>,
    used: AtomicUsize,
}

impl Depot {
    pub fn store(&self, goods: u64) {
        self.crates.lock().unwrap().push_back(goods); //~
        self.used.fetch_add(1, Ordering::SeqCst); //~
    }

    pub fn fetch(&self) -> Option<u64> {
        let goods = self.crates.lock().unwrap().pop_front()?; //~
        self.used.fetch_sub(1, Ordering::SeqCst);
        Some(goods)
    }

    pub fn room(&self) -> usize {
        64 - self.used.load(Ordering::SeqCst) //~
    }
}

/// It is counted before it is put in.
#[derive(Default)]
pub struct Store {
    crates: Mutex<VecDeque<u64>>,
    used: AtomicUsize,
}

impl Store {
    pub fn store(&self, goods: u64) {
        self.used.fetch_add(1, Ordering::SeqCst);
        self.crates.lock().unwrap().push_back(goods);
    }

    pub fn fetch(&self) -> Option<u64> {
        let goods = self.crates.lock().unwrap().pop_front()?;
        self.used.fetch_sub(1, Ordering::SeqCst);
        Some(goods)
    }

    pub fn room(&self) -> usize {
        64 - self.used.load(Ordering::SeqCst)
    }
}

//! Two things of one kind that an event is given: what it does to one of them is not done to the other.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Account {
    balance: Mutex<i64>,
    seen: AtomicU64,
}

impl Account {
    pub fn add(&self, amount: i64) {
        *self.balance.lock().unwrap() += amount; //~
    }

    pub fn see(&self) {
        self.seen.fetch_add(1, Ordering::SeqCst);
    }
}

/// What is read of one is written to the other.
pub fn copy(from: &Account, to: &Account) {
    let balance = *from.balance.lock().unwrap();
    *to.balance.lock().unwrap() = balance;
}

/// Both are the same.
pub fn double(account: &Account, other: &Account) {
    let balance = *account.balance.lock().unwrap(); //~
    other.see();
    *account.balance.lock().unwrap() = 2 * balance; //~
}

/// One is looked at to say what becomes of the other.
pub fn follow(first: &Account, second: &Account) {
    if first.seen.load(Ordering::SeqCst) > 3 {
        second.seen.store(0, Ordering::SeqCst);
    }
}

/// Two counters of which callers keep a handle.
pub struct Counters {
    hits: Arc<AtomicU64>,
    misses: Arc<AtomicU64>,
}

impl Counters {
    pub fn new(hits: Arc<AtomicU64>, misses: Arc<AtomicU64>) -> Counters {
        Counters { hits, misses }
    }

    pub fn hit(&self) {
        self.hits.fetch_add(1, Ordering::SeqCst);
    }

    pub fn miss(&self) {
        self.misses.fetch_add(1, Ordering::SeqCst); //~
    }

    pub fn forgive(&self) {
        if self.hits.load(Ordering::SeqCst) > 3 {
            self.misses.store(0, Ordering::SeqCst);
        }
    }

    /// One of them, twice.
    pub fn forget(&self) {
        let misses = self.misses.load(Ordering::SeqCst); //~
        self.misses.store(misses / 2, Ordering::SeqCst); //~
    }
}

//! Sums in other words than `+=`: what is taken away so and added again comes in any order.
use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Budget {
    cents: Mutex<u64>,
    opened: Condvar,
    kept: Mutex<u64>,
}

impl Budget {
    pub fn spend(&self, cents: u64, order: impl Fn() -> bool) -> bool {
        {
            let mut left = self.cents.lock().unwrap();
            match left.checked_sub(cents) {
                Some(rest) => *left = rest,
                None => return false,
            }
        }
        if order() {
            return true;
        }
        *self.cents.lock().unwrap() += cents;
        false
    }

    pub fn raise(&self, cents: u64) {
        let mut left = self.cents.lock().unwrap();
        let now = *left;
        *left = now + cents;
    }

    /// The sum is looked at under one guard, and stored under another one.
    pub fn raise_apart(&self, by: u64) {
        let now = *self.kept.lock().unwrap(); //~
        *self.kept.lock().unwrap() = now + by; //~
    }

    /// Who waits gives the guard away in between.
    pub fn raise_when_open(&self, by: u64) {
        let mut kept = self.kept.lock().unwrap();
        let now = *kept; //~
        while *kept == 0 {
            kept = self.opened.wait(kept).unwrap();
        }
        *kept = now + by; //~
    }
}

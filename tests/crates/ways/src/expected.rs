//! What a compare-exchange expects, and what it stores.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Sums {
    late: AtomicU64,
    seen: AtomicU64,
    handed: AtomicU64,
    same: AtomicU64,
}

impl Sums {
    /// It stores what it made of the first look, if what the second one found is there still.
    pub fn add_late(&self, n: u64) {
        loop {
            let sum = self.late.load(SeqCst) + n; //~
            let now = self.late.load(SeqCst);
            if self.late.compare_exchange(now, sum, SeqCst, SeqCst).is_ok() { //~
                return;
            }
        }
    }

    /// Of one look.
    pub fn add_seen(&self, n: u64) {
        loop {
            let now = self.seen.load(SeqCst);
            if self.seen.compare_exchange(now, now + n, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// Who fails goes on with what was there.
    pub fn add_handed(&self, n: u64) {
        let mut now = self.handed.load(SeqCst);
        while let Err(there) = self.handed.compare_exchange(now, now + n, SeqCst, SeqCst) {
            now = there;
        }
    }

    /// Both looks found the same.
    pub fn add_same(&self, n: u64) {
        loop {
            let sum = self.same.load(SeqCst);
            let now = self.same.load(SeqCst);
            if now == sum && self.same.compare_exchange(now, sum + n, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

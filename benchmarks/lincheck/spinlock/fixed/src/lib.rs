//! A sum that nobody has to wait for.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Sum {
    total: AtomicU64,
}

impl Sum {
    pub fn add(&self, amount: u64) -> u64 {
        self.total.fetch_add(amount, SeqCst) + amount
    }

    pub fn double(&self) -> u64 {
        let mut total = self.total.load(SeqCst);
        while let Err(other) = self.total.compare_exchange(total, total * 2, SeqCst, SeqCst) {
            total = other;
        }
        total * 2
    }
}

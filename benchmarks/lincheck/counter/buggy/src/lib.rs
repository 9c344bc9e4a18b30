//! Two increments can return the same number.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Counter {
    value: AtomicU64,
}

impl Counter {
    pub fn inc(&self) -> u64 {
        let value = self.value.load(SeqCst) + 1;
        self.value.store(value, SeqCst);
        value
    }

    pub fn get(&self) -> u64 {
        self.value.load(SeqCst)
    }
}

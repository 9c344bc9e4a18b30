//! Each increment returns a number of its own.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Counter {
    value: AtomicU64,
}

impl Counter {
    pub fn inc(&self) -> u64 {
        self.value.fetch_add(1, SeqCst) + 1
    }

    pub fn get(&self) -> u64 {
        self.value.load(SeqCst)
    }
}

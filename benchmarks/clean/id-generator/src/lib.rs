//! Numbers nobody else gets.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Default)]
pub struct Ids {
    next: AtomicU64,
}

impl Ids {
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Relaxed)
    }

    pub fn block(&self, size: u64) -> Range<u64> {
        let first = self.next.fetch_add(size, Relaxed);
        first..first + size
    }
}

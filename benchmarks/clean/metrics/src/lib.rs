//! Counters of a server.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Default)]
pub struct Metrics {
    requests: AtomicU64,
    errors: AtomicU64,
    slowest: AtomicU64,
}

impl Metrics {
    /// Counts a request that took `millis`.
    pub fn observe(&self, millis: u64, failed: bool) {
        self.requests.fetch_add(1, Relaxed);
        if failed {
            self.errors.fetch_add(1, Relaxed);
        }
        self.slowest.fetch_max(millis, Relaxed);
    }

    pub fn requests(&self) -> u64 {
        self.requests.load(Relaxed)
    }

    pub fn errors(&self) -> u64 {
        self.errors.load(Relaxed)
    }

    pub fn slowest(&self) -> u64 {
        self.slowest.load(Relaxed)
    }
}

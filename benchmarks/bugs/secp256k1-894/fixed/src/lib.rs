//! A small generator shared by threads, for tests.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub struct Generator {
    state: AtomicU64,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Generator { state: AtomicU64::new(seed | 1) }
    }

    /// The next number; no two callers get the same one.
    pub fn next(&self) -> u64 {
        let old = self.state.fetch_update(Relaxed, Relaxed, |state| Some(step(state))).unwrap();
        step(old)
    }
}

fn step(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}

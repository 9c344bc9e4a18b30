//! A bit that looks clear is set, and what was there says who was first.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Ports {
    used: AtomicU64,
}

impl Ports {
    pub fn claim(&self) -> Option<u32> {
        loop {
            let free = self.used.load(SeqCst).trailing_ones();
            if free == 64 {
                return None;
            }
            let bit = 1u64 << free;
            if self.used.fetch_or(bit, SeqCst) & bit == 0 {
                return Some(free);
            }
        }
    }

    pub fn release(&self, port: u32) {
        self.used.fetch_and(!(1 << port), SeqCst);
    }
}

/// Nobody asks what was there.
#[derive(Default)]
pub struct Lanes {
    used: AtomicU64,
}

impl Lanes {
    pub fn claim(&self) -> Option<u32> {
        let free = self.used.load(SeqCst).trailing_ones(); //~
        if free == 64 {
            return None;
        }
        self.used.fetch_or(1u64 << free, SeqCst); //~
        Some(free)
    }

    pub fn release(&self, lane: u32) {
        self.used.fetch_and(!(1 << lane), SeqCst);
    }
}

/// What is asked is whether anything was there, not whether that one was.
#[derive(Default)]
pub struct Desks {
    used: AtomicU64,
}

impl Desks {
    pub fn claim(&self) -> (u32, bool) {
        let free = self.used.load(SeqCst).trailing_ones(); //~
        let before = self.used.fetch_or(1u64 << free, SeqCst); //~
        (free, before == 0)
    }

    pub fn release(&self, desk: u32) {
        self.used.fetch_and(!(1 << desk), SeqCst);
    }
}

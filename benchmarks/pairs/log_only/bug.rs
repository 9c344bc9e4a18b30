//! The limit that was looked at decides what is refused.
use std::sync::RwLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
pub struct Limits { max: RwLock<u64>, refused: AtomicU64 }
impl Limits {
    pub fn new(max: u64) -> Self { Limits { max: RwLock::new(max), refused: AtomicU64::new(0) } }
    pub fn set(&self, max: u64) {
        let before = *self.max.read().unwrap(); //~
        if max > before { *self.max.write().unwrap() = max; } //~
    }
    pub fn check(&self, n: u64) -> bool {
        let fits = n <= *self.max.read().unwrap();
        if !fits { self.refused.fetch_add(1, Relaxed); }
        fits
    }
    pub fn refused(&self) -> u64 { self.refused.load(Relaxed) }
}


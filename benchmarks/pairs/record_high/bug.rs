// The highest value ever seen, kept in an atomic.
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Altimeter { highest: AtomicU64, samples: AtomicU64 }

impl Altimeter {
    pub const fn new() -> Self { Altimeter { highest: AtomicU64::new(0), samples: AtomicU64::new(0) } }
    pub fn sample(&self, height: u64) {
        self.samples.fetch_add(1, Ordering::Relaxed);
        let highest = self.highest.load(Ordering::Acquire); //~
        if height > highest {
            self.highest.store(height, Ordering::Release); //~
        }
    }
    pub fn highest(&self) -> u64 { self.highest.load(Ordering::Acquire) }
    pub fn samples(&self) -> u64 { self.samples.load(Ordering::Relaxed) }
}
pub static ALTIMETER: Altimeter = Altimeter::new();

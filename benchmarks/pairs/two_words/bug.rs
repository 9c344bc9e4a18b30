//! Window and count are two words; a new window's count is reset over others' hits.
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
pub struct Rate { window: AtomicU32, count: AtomicU32, both: AtomicU64, most: u32 }
impl Rate {
    pub fn per_second(most: u32) -> Self {
        Rate { window: AtomicU32::new(0), count: AtomicU32::new(0), both: AtomicU64::new(0), most }
    }
    pub fn hit(&self, second: u32) -> bool {
        let _ = &self.both;
        if self.window.load(Relaxed) != second { //~
            self.window.store(second, Relaxed);
            self.count.store(0, Relaxed); //~
        }
        self.count.fetch_add(1, Relaxed) < self.most
    }
}

//! One word, changed by fetch_update.
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
pub struct Rate { window: AtomicU32, count: AtomicU32, both: AtomicU64, most: u32 }
impl Rate {
    pub fn per_second(most: u32) -> Self {
        Rate { window: AtomicU32::new(0), count: AtomicU32::new(0), both: AtomicU64::new(0), most }
    }
    pub fn hit(&self, second: u32) -> bool {
        let _ = (&self.window, &self.count);
        let next = |both: u64| {
            let count = if (both >> 32) as u32 == second { both as u32 } else { 0 };
            (count < self.most).then(|| u64::from(second) << 32 | u64::from(count + 1))
        };
        self.both.fetch_update(Relaxed, Relaxed, next).is_ok()
    }
}

//! With what the new value was made of.
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
pub struct Mean { packed: AtomicU64 }
fn unpack(word: u64) -> (u32, u32) { ((word >> 32) as u32, word as u32) }
fn pack(sum: u32, count: u32) -> u64 { u64::from(sum) << 32 | u64::from(count) }
impl Mean {
    pub fn new() -> Self { Mean { packed: AtomicU64::new(0) } }
    pub fn add(&self, sample: u32) {
        loop {
            let seen = self.packed.load(SeqCst);
            let (sum, count) = unpack(seen);
            let new = pack(sum.wrapping_add(sample), count + 1);
            if self.packed.compare_exchange(seen, new, SeqCst, SeqCst).is_ok() { return; }
        }
    }
    pub fn mean(&self) -> u32 { let (sum, count) = unpack(self.packed.load(SeqCst)); sum / count.max(1) }
}

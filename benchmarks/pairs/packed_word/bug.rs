// Two numbers in one word: readers and a version.
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

#[derive(Clone, Copy)]
struct Packed { readers: u32, epoch: u32 }
impl From<u64> for Packed { fn from(word: u64) -> Self { Packed { readers: word as u32, epoch: (word >> 32) as u32 } } }
impl From<Packed> for u64 { fn from(p: Packed) -> u64 { u64::from(p.readers) | u64::from(p.epoch) << 32 } }

#[derive(Default)]
pub struct Snapshots { word: AtomicU64 }

impl Snapshots {
    pub fn enter(&self) -> u32 {
        let mut packed = Packed::from(self.word.load(SeqCst)); //~
        packed.readers += 1;
        self.word.store(packed.into(), SeqCst); //~
        packed.epoch
    }
    pub fn advance(&self) { self.word.fetch_add(1 << 32, SeqCst); }
    pub fn leave(&self) { self.word.fetch_sub(1, SeqCst); }
}

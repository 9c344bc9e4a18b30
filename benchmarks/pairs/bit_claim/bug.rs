//! A clear bit is looked for, and set without asking whether it was clear still.
use std::sync::atomic::{AtomicU64, Ordering};
pub struct Ports<const N: usize> { words: [AtomicU64; N] }
impl<const N: usize> Ports<N> {
    pub fn new() -> Self { Ports { words: std::array::from_fn(|_| AtomicU64::new(0)) } }
    pub fn claim(&self) -> Option<u32> {
        for (at, word) in self.words.iter().enumerate() {
            loop {
                let free = word.load(Ordering::Acquire).trailing_ones(); //~
                if free == 64 { break }
                let bit = 1u64 << free;
                word.fetch_or(bit, Ordering::AcqRel); //~
                return Some(at as u32 * 64 + free);
            }
        }
        None
    }
    pub fn release(&self, port: u32) {
        let (at, bit) = (port as usize / 64, 1u64 << (port % 64));
        self.words[at].fetch_and(!bit, Ordering::AcqRel);
    }
}
pub fn ports() -> Ports<4> { Ports::new() }

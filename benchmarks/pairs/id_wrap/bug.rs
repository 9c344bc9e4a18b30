//! The next number is read, and wraps by a store.
use std::sync::atomic::{AtomicU16, Ordering};
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketId(u16);
pub struct Ids { next: AtomicU16 }
impl Ids {
    pub const fn new() -> Self { Ids { next: AtomicU16::new(1) } }
    pub fn next(&self) -> PacketId {
        let id = self.next.load(Ordering::Relaxed); //~
        self.next.store(if id == u16::MAX { 1 } else { id + 1 }, Ordering::Relaxed); //~
        PacketId(id)
    }
}

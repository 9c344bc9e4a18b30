//! Fetch_update wraps.
use std::sync::atomic::{AtomicU16, Ordering};
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketId(u16);
pub struct Ids { next: AtomicU16 }
impl Ids {
    pub const fn new() -> Self { Ids { next: AtomicU16::new(1) } }
    pub fn next(&self) -> PacketId {
        let step = |id: u16| Some(if id == u16::MAX { 1 } else { id + 1 });
        PacketId(self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step).unwrap_or_else(|id| id))
    }
}

//! The room is looked at under one read lock, and charged under the next write lock.
use std::sync::RwLock;
#[derive(Clone, Copy, PartialEq, PartialOrd, Default, Debug)]
pub struct Bytes(u64);
#[derive(Default)]
struct Usage { used: Bytes, files: usize }
#[derive(Debug)]
pub enum Denied { Full { over: Bytes }, TooManyFiles }
pub struct Quota { limit: Bytes, usage: RwLock<Usage> }
impl Quota {
    pub fn with_limit(limit: u64) -> Self { Quota { limit: Bytes(limit), usage: RwLock::default() } }
    fn room(&self) -> Bytes {
        let usage = self.usage.read().unwrap();
        Bytes(self.limit.0.saturating_sub(usage.used.0)) //~
    }
    pub fn charge(&self, size: Bytes) -> Result<usize, Denied> {
        match self.room() {
            room if size > room => return Err(Denied::Full { over: Bytes(size.0 - room.0) }),
            _ => {}
        }
        let mut usage = self.usage.write().unwrap();
        usage.used.0 += size.0; //~
        usage.files += 1;
        Ok(usage.files)
    }
    pub fn release(&self, size: Bytes) {
        let mut usage = self.usage.write().unwrap();
        usage.used.0 -= size.0;
        usage.files -= 1;
    }
}

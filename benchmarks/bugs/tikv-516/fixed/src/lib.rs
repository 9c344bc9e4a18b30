//! The storage of a replicated region: its data and what has been applied to it.

use std::sync::{Mutex, RwLock};

#[derive(Clone, Default)]
pub struct Region {
    pub epoch: u64,
    pub end: u64,
}

#[derive(Default)]
struct Applied {
    index: u64,
    region: Region,
}

#[derive(Default)]
pub struct Peer {
    engine: Mutex<Vec<Vec<u8>>>,
    applied: RwLock<Applied>,
}

impl Peer {
    /// Applies an entry of the log that changes the region.
    pub fn apply(&self, index: u64, entry: Vec<u8>, region: Region) {
        let mut applied = self.applied.write().unwrap();
        self.engine.lock().unwrap().push(entry);
        applied.index = index;
        applied.region = region;
    }

    /// What a new replica starts from.
    pub fn snapshot(&self) -> (u64, Region, Vec<Vec<u8>>) {
        let applied = self.applied.read().unwrap();
        let data = self.engine.lock().unwrap().clone();
        (applied.index, applied.region.clone(), data)
    }
}

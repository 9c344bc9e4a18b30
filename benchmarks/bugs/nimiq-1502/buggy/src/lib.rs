//! Peers asked in turn.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::RwLock;

#[derive(Default)]
pub struct SyncQueue {
    peers: RwLock<Vec<u64>>,
    turn: AtomicUsize,
}

impl SyncQueue {
    pub fn add(&self, peer: u64) {
        self.peers.write().unwrap().push(peer);
    }

    pub fn remove(&self, peer: u64) {
        self.peers.write().unwrap().retain(|known| *known != peer);
    }

    /// The peer whose turn it is.
    pub fn next(&self) -> Option<u64> {
        let turn = self.turn.fetch_add(1, Relaxed);
        let count = self.peers.read().unwrap().len(); //~ RACE
        if count == 0 {
            return None;
        }
        Some(self.peers.read().unwrap()[turn % count]) //~ RACE
    }
}

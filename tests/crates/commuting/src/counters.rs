//! Atomic numbers in the entries of a collection: who looks an entry up sees that it is there, and who adds to the number leaves it there.

use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Each sum is one step.
#[derive(Debug, Default)]
pub struct Gates {
    passed: RwLock<HashMap<u32, AtomicU64>>,
}

impl Gates {
    pub fn open(&self, gate: u32) {
        self.passed.write().unwrap().entry(gate).or_default();
    }

    pub fn pass(&self, gate: u32, by: u64) -> bool {
        if let Some(passed) = self.passed.read().unwrap().get(&gate) {
            passed.fetch_add(by, SeqCst);
            return true;
        }
        false
    }
}

/// The number is looked at, and only then replaced.
#[derive(Debug, Default)]
pub struct Doors {
    passed: RwLock<HashMap<u32, AtomicU64>>,
}

impl Doors {
    pub fn open(&self, door: u32) {
        self.passed.write().unwrap().entry(door).or_default();
    }

    pub fn pass(&self, door: u32, by: u64) -> bool {
        if let Some(passed) = self.passed.read().unwrap().get(&door) {
            let before = passed.load(SeqCst); //~
            passed.store(before + by, SeqCst); //~
            return true;
        }
        false
    }
}

/// Who finds no entry puts one in the place of what was counted since.
#[derive(Debug, Default)]
pub struct Bridges {
    passed: RwLock<HashMap<u32, AtomicU64>>,
}

impl Bridges {
    fn has(&self, bridge: u32) -> bool {
        self.passed.read().unwrap().contains_key(&bridge) //~
    }

    pub fn pass(&self, bridge: u32, by: u64) {
        if !self.has(bridge) {
            self.passed.write().unwrap().insert(bridge, AtomicU64::new(0)); //~
        }
        if let Some(passed) = self.passed.read().unwrap().get(&bridge) {
            passed.fetch_add(by, SeqCst);
        }
    }
}

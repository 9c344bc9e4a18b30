//! The counter is looked up in the map, and added to in one step: the look-up is no look at the counter.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::RwLock;

#[derive(Default)]
pub struct Counters {
    by_name: RwLock<HashMap<String, AtomicU64>>,
}

impl Counters {
    pub fn open(&self, name: &str) {
        self.by_name.write().unwrap().entry(name.to_string()).or_default();
    }
    pub fn add(&self, name: &str, by: u64) -> bool {
        if let Some(counter) = self.by_name.read().unwrap().get(name) {
            counter.fetch_add(by, Ordering::SeqCst);
            return true;
        }
        false
    }
    pub fn sum(&self, name: &str) -> u64 {
        self.by_name.read().unwrap().get(name).map_or(0, |counter| counter.load(Ordering::SeqCst))
    }
}

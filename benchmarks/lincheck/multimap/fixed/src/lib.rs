//! A map of maps, both under one lock.

use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct MultiMap {
    all: Mutex<BTreeMap<u64, BTreeMap<u64, u64>>>,
}

impl MultiMap {
    pub fn add(&self, outer: u64, inner: u64, value: u64) {
        self.all.lock().unwrap().entry(outer).or_default().insert(inner, value);
    }

    pub fn get(&self, outer: u64) -> Option<BTreeMap<u64, u64>> {
        self.all.lock().unwrap().get(&outer).cloned()
    }
}

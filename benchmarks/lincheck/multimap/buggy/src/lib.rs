//! A map of maps: who finds no inner map puts one in the place of what came in between.

use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct MultiMap {
    all: Mutex<BTreeMap<u64, BTreeMap<u64, u64>>>,
}

impl MultiMap {
    pub fn add(&self, outer: u64, inner: u64, value: u64) {
        let mut own = self.get(outer).unwrap_or_default();
        own.insert(inner, value);
        self.all.lock().unwrap().insert(outer, own);
    }

    pub fn get(&self, outer: u64) -> Option<BTreeMap<u64, u64>> {
        self.all.lock().unwrap().get(&outer).cloned()
    }
}

//! A small least-recently-used cache.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

#[derive(Default)]
struct Entries {
    values: HashMap<u64, String>,
    order: VecDeque<u64>,
}

pub struct Lru {
    limit: usize,
    entries: Mutex<Entries>,
}

impl Lru {
    pub fn new(limit: usize) -> Self {
        Lru { limit, entries: Mutex::default() }
    }

    pub fn get(&self, key: u64) -> Option<String> {
        let mut entries = self.entries.lock().unwrap();
        let value = entries.values.get(&key)?.clone();
        entries.order.retain(|other| *other != key);
        entries.order.push_back(key);
        Some(value)
    }

    pub fn put(&self, key: u64, value: String) {
        let mut entries = self.entries.lock().unwrap();
        entries.order.retain(|other| *other != key);
        entries.order.push_back(key);
        entries.values.insert(key, value);
        if entries.order.len() > self.limit {
            if let Some(oldest) = entries.order.pop_front() {
                entries.values.remove(&oldest);
            }
        }
    }
}

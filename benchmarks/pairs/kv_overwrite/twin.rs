// Source: ephpm/ephpm issue #452 / PR #476 (replace a key atomically instead of remove-then-insert)
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use dashmap::mapref::entry::Entry as MapEntry;
use dashmap::DashMap;

const ENTRY_OVERHEAD: usize = 64;

#[derive(Clone, Debug)]
struct Entry {
    value: Bytes,
    mem_size: usize,
}

impl Entry {
    fn new(key: &str, value: Bytes) -> Self {
        let mem_size = key.len() + value.len() + ENTRY_OVERHEAD;
        Entry { value, mem_size }
    }
}

#[derive(Clone, Debug)]
pub struct StoreConfig {
    pub memory_limit: usize,
}

pub struct Store {
    data: DashMap<String, Entry>,
    config: StoreConfig,
    mem_used: AtomicUsize,
}

impl Store {
    pub fn new(config: StoreConfig) -> Self {
        Store {
            data: DashMap::new(),
            config,
            mem_used: AtomicUsize::new(0),
        }
    }

    pub fn get(&self, key: &str) -> Option<Bytes> {
        self.data.get(key).map(|entry| entry.value.clone())
    }

    pub fn set(&self, key: &str, value: Bytes) -> bool {
        let entry = Entry::new(key, value);
        self.set_local(key.to_owned(), entry)
    }

    fn set_local(&self, key: String, entry: Entry) -> bool {
        match self.data.entry(key) {
            MapEntry::Occupied(mut slot) => {
                if !self.mem_swap(slot.get().mem_size, entry.mem_size) {
                    return false;
                }
                slot.insert(entry);
            }
            MapEntry::Vacant(slot) => {
                if !self.mem_swap(0, entry.mem_size) {
                    return false;
                }
                slot.insert(entry);
            }
        }
        true
    }

    pub fn remove(&self, key: &str) -> bool {
        match self.data.entry(key.to_owned()) {
            MapEntry::Occupied(slot) => {
                self.mem_sub(slot.get().mem_size);
                slot.remove();
                true
            }
            MapEntry::Vacant(_) => false,
        }
    }

    pub fn mem_used(&self) -> usize {
        self.mem_used.load(Ordering::Acquire)
    }

    pub fn contains(&self, key: &str) -> bool {
        self.data.contains_key(key)
    }

    fn mem_swap(&self, old: usize, new: usize) -> bool {
        let limit = self.config.memory_limit;
        self.mem_used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
                let next = used - old + new;
                (next <= limit || new <= old).then_some(next)
            })
            .is_ok()
    }

    fn mem_sub(&self, size: usize) {
        self.mem_used.fetch_sub(size, Ordering::AcqRel);
    }
}

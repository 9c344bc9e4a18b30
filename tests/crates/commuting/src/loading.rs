//! Who finds nothing under a key notes there that he makes it, and replaces that by what he has made: everybody else waits, or does without.

use std::collections::HashMap;
use std::sync::Mutex;

enum Entry {
    Loading,
    Loaded(u64),
}

fn made(key: u64) -> u64 {
    std::fs::read_to_string(key.to_string()).map_or(0, |text| text.len() as u64)
}

#[derive(Default)]
pub struct Shelf {
    entries: Mutex<HashMap<u64, Entry>>,
}

impl Shelf {
    pub fn get(&self, key: u64) -> Option<u64> {
        let mut entries = self.entries.lock().unwrap();
        match entries.get(&key) {
            Some(Entry::Loaded(value)) => return Some(*value),
            Some(Entry::Loading) => return None,
            None => {}
        }
        entries.insert(key, Entry::Loading);
        drop(entries);
        let value = made(key);
        self.entries.lock().unwrap().insert(key, Entry::Loaded(value));
        Some(value)
    }
}

/// Others throw entries away, be they made or not.
#[derive(Default)]
pub struct Cleared {
    entries: Mutex<HashMap<u64, Entry>>,
}

impl Cleared {
    pub fn get(&self, key: u64) -> Option<u64> {
        let mut entries = self.entries.lock().unwrap();
        match entries.get(&key) {
            Some(Entry::Loaded(value)) => return Some(*value),
            Some(Entry::Loading) => return None,
            None => {}
        }
        entries.insert(key, Entry::Loading);
        drop(entries);
        let value = made(key);
        self.entries.lock().unwrap().insert(key, Entry::Loaded(value)); //~
        Some(value)
    }

    pub fn forget(&self, key: u64) {
        self.entries.lock().unwrap().remove(&key); //~
    }
}

/// What was noted is not under the key that the value is put in under.
#[derive(Default)]
pub struct Shifted {
    entries: Mutex<HashMap<u64, Entry>>,
}

impl Shifted {
    pub fn get(&self, key: u64, next: u64) -> Option<u64> {
        let mut entries = self.entries.lock().unwrap();
        match entries.get(&key) {
            Some(Entry::Loaded(value)) => return Some(*value),
            Some(Entry::Loading) => return None,
            None => {}
        }
        entries.insert(key, Entry::Loading); //~
        drop(entries);
        let value = made(key);
        self.entries.lock().unwrap().insert(next, Entry::Loaded(value)); //~
        Some(value)
    }
}

/// The guard is given back between the look and the note.
#[derive(Default)]
pub struct Loose {
    entries: Mutex<HashMap<u64, Entry>>,
}

impl Loose {
    pub fn get(&self, key: u64) -> Option<u64> {
        let there = self.entries.lock().unwrap().contains_key(&key); //~
        if there {
            return None;
        }
        self.entries.lock().unwrap().insert(key, Entry::Loading); //~
        let value = made(key);
        self.entries.lock().unwrap().insert(key, Entry::Loaded(value));
        Some(value)
    }
}

/// It is given back before it is filled.
#[derive(Default)]
pub struct Hasty {
    entries: Mutex<HashMap<u64, Entry>>,
}

impl Hasty {
    pub fn get(&self, key: u64) -> Option<u64> {
        let mut entries = self.entries.lock().unwrap();
        match entries.get(&key) {
            Some(Entry::Loaded(value)) => return Some(*value),
            Some(Entry::Loading) => return None,
            None => {}
        }
        entries.insert(key, Entry::Loading); //~
        drop(entries);
        let value = made(key);
        self.entries.lock().unwrap().remove(&key);
        self.entries.lock().unwrap().insert(key, Entry::Loaded(value)); //~
        Some(value)
    }
}

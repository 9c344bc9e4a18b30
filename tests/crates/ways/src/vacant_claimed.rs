//! Whoever is to make a value enters its key first, where nobody has: before it lets go of the values, which it has looked for it in.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Mutex;

#[derive(Default)]
pub struct Once {
    values: Mutex<HashMap<u32, u64>>,
    under_way: Mutex<HashMap<u32, u32>>,
}

impl Once {
    pub fn get(&self, key: u32, make: impl FnOnce(u32) -> u64) -> Option<u64> {
        let values = self.values.lock().unwrap();
        if let Some(value) = values.get(&key) {
            return Some(*value);
        }
        let mut under_way = self.under_way.lock().unwrap();
        drop(values);
        match under_way.entry(key) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(entry) => _ = entry.insert(1),
        }
        drop(under_way);
        let value = make(key);
        let mut values = self.values.lock().unwrap();
        let mut under_way = self.under_way.lock().unwrap();
        under_way.remove(&key);
        values.insert(key, value);
        Some(value)
    }
}

#[derive(Default)]
pub struct Several {
    values: Mutex<HashMap<u32, u64>>,
    under_way: Mutex<HashMap<u32, u32>>,
}

impl Several {
    /// Wrong: whoever finds the key entered makes the value all the same.
    pub fn get(&self, key: u32, make: impl FnOnce(u32) -> u64) -> Option<u64> {
        let values = self.values.lock().unwrap();
        if let Some(value) = values.get(&key) { //~
            return Some(*value);
        }
        let mut under_way = self.under_way.lock().unwrap();
        drop(values);
        match under_way.entry(key) {
            Entry::Occupied(mut entry) => *entry.get_mut() += 1,
            Entry::Vacant(entry) => _ = entry.insert(1), //~
        }
        drop(under_way);
        let value = make(key);
        let mut values = self.values.lock().unwrap();
        self.under_way.lock().unwrap().remove(&key); //~
        values.insert(key, value); //~
        Some(value)
    }
}

//! An entry that is taken out of a value by a pattern keeps its lock, and who finds nothing to take may try again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;

#[derive(Clone)]
pub struct Item {
    name: String,
}

#[derive(Default)]
pub struct Items {
    held: Arc<DashMap<u64, Item>>,
    let_go: DashMap<u64, Item>,
}

impl Items {
    pub fn put(&self, number: u64, item: Item) {
        self.held.insert(number, item.clone());
        self.let_go.insert(number, item);
    }

    /// Under the lock of the entry from the first look to the removal.
    pub fn remove(&self, number: u64, name: &str) -> Option<Item> {
        let Entry::Occupied(entry) = self.held.entry(number) else { return None };
        if entry.get().name != name {
            return None;
        }
        Some(entry.remove())
    }

    /// The same by `match`.
    pub fn rename(&self, number: u64, name: &str) -> bool {
        match self.held.entry(number) {
            Entry::Occupied(mut entry) if entry.get().name != name => {
                entry.insert(Item { name: name.to_owned() });
                true
            }
            _ => false,
        }
    }

    /// The lock is given back after the look.
    pub fn remove_late(&self, number: u64, name: &str) -> Option<Item> {
        let Some(item) = self.let_go.get(&number) else { return None };
        let same = item.name == name; //~
        drop(item);
        if !same {
            return None;
        }
        self.let_go.remove(&number).map(|(_, item)| item) //~
    }
}

#[derive(Default)]
pub struct Jobs {
    waiting: Mutex<VecDeque<Item>>,
    first: Mutex<VecDeque<Item>>,
}

impl Jobs {
    pub fn put(&self, item: Item) {
        self.waiting.lock().unwrap().push_back(item.clone());
        self.first.lock().unwrap().push_back(item);
    }

    pub fn clear(&self) {
        self.waiting.lock().unwrap().clear();
        self.first.lock().unwrap().clear();
    }

    /// There may be something the second time.
    pub fn take(&self) -> Option<Item> {
        if let Some(item) = self.waiting.lock().unwrap().pop_front() {
            return Some(item);
        }
        std::thread::yield_now();
        self.waiting.lock().unwrap().pop_front()
    }

    /// What was there may be gone.
    pub fn take_first(&self) -> Item {
        while self.first.lock().unwrap().is_empty() { //~
            std::thread::yield_now();
        }
        self.first.lock().unwrap().pop_front().unwrap() //~
    }
}

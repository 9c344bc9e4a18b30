//! Locks in collections, and every way to one of them.

use std::sync::Mutex;

pub struct Entry {
    key: u64,
    lock: Mutex<u64>,
}

pub struct Shelf {
    all: Vec<Mutex<u64>>,
    pairs: Vec<(u64, Mutex<u64>)>,
    entries: Vec<Entry>,
}

impl Shelf {
    pub fn new() -> Self {
        Self {
            all: (0..4).map(|_| Mutex::new(0)).collect(),
            pairs: vec![(1, Mutex::new(0)), (2, Mutex::new(0))],
            entries: vec![Entry { key: 1, lock: Mutex::new(0) }],
        }
    }

    pub fn by_find(&self) {
        if let Some(lock) = self.all.iter().find(|one| one.try_lock().is_ok()) {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_next(&self) {
        if let Some(lock) = self.all.iter().next() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_last(&self) {
        if let Some(lock) = self.all.iter().last() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_skip(&self) {
        if let Some(lock) = self.all.iter().skip(1).next() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_filter(&self) {
        for lock in self.all.iter().filter(|one| !one.is_poisoned()) {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_enumerate(&self) {
        for (_, lock) in self.all.iter().enumerate() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_rev(&self) {
        for lock in self.all.iter().rev() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_zip(&self) {
        for (lock, _) in self.all.iter().zip(0..) {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_map(&self) {
        for lock in self.all.iter().map(|one| one) {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_collect(&self) {
        for lock in self.all.iter().collect::<Vec<_>>() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_whole(&self) {
        for lock in &self.all {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_first(&self) {
        if let Some(lock) = self.all.first() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_pairs(&self) {
        for (_, lock) in &self.pairs {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_find_pair(&self) {
        if let Some((_, lock)) = self.pairs.iter().find(|(key, _)| *key == 1) {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_find_entry(&self) {
        if let Some(Entry { lock, .. }) = self.entries.iter().find(|entry| entry.key == 1) {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_entries(&self) {
        for Entry { lock, .. } in self.entries.iter() {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        }
    }

    pub fn by_each(&self) {
        self.all.iter().for_each(|lock| {
            let before = *lock.lock().unwrap(); //~
            *lock.lock().unwrap() = before + 1; //~
        });
    }

    pub fn by_position(&self) {
        if let Some(at) = self.all.iter().position(|one| one.try_lock().is_ok()) {
            let before = *self.all[at].lock().unwrap(); //~
            *self.all[at].lock().unwrap() = before + 1; //~
        }
    }

    /// Each under one guard.
    pub fn at_once(&self) {
        for lock in self.all.iter().filter(|one| !one.is_poisoned()) {
            *lock.lock().unwrap() += 1;
        }
        if let Some((_, lock)) = self.pairs.iter().find(|(key, _)| *key == 1) {
            *lock.lock().unwrap() += 1;
        }
    }
}

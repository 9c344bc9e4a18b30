//! Locks of a library that only another library depends on.

use hub::parking_lot::Mutex;
use hub::prelude::RwLock;

/// A level that is read, and then written.
#[derive(Default)]
pub struct Tank {
    level: Mutex<u32>,
    valves: RwLock<Vec<u32>>,
}

impl Tank {
    pub fn fill(&self, by: u32) {
        let level = *self.level.lock(); //~
        *self.level.lock() = level + by; //~
    }

    pub fn open(&self, valve: u32) {
        if !self.valves.read().contains(&valve) { //~
            self.valves.write().push(valve); //~
        }
    }
}

/// The same under one guard.
#[derive(Default)]
pub struct Basin {
    level: Mutex<u32>,
    valves: RwLock<Vec<u32>>,
}

impl Basin {
    pub fn fill(&self, by: u32) {
        *self.level.lock() += by;
    }

    pub fn open(&self, valve: u32) {
        let mut valves = self.valves.write();
        if !valves.contains(&valve) {
            valves.push(valve);
        }
    }
}

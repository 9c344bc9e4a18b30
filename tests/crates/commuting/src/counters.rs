//! Atomic numbers in the entries of a collection: who looks an entry up sees that it is there, and who adds to the number leaves it there.

use std::collections::HashMap;
use std::sync::{Mutex, RwLock};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Each sum is one step.
#[derive(Debug, Default)]
pub struct Gates {
    passed: RwLock<HashMap<u32, AtomicU64>>,
}

impl Gates {
    pub fn open(&self, gate: u32) {
        self.passed.write().unwrap().entry(gate).or_default();
    }

    pub fn pass(&self, gate: u32, by: u64) -> bool {
        if let Some(passed) = self.passed.read().unwrap().get(&gate) {
            passed.fetch_add(by, SeqCst);
            return true;
        }
        false
    }
}

/// The number is looked at, and only then replaced.
#[derive(Debug, Default)]
pub struct Doors {
    passed: RwLock<HashMap<u32, AtomicU64>>,
}

impl Doors {
    pub fn open(&self, door: u32) {
        self.passed.write().unwrap().entry(door).or_default();
    }

    pub fn pass(&self, door: u32, by: u64) -> bool {
        if let Some(passed) = self.passed.read().unwrap().get(&door) {
            let before = passed.load(SeqCst); //~
            passed.store(before + by, SeqCst); //~
            return true;
        }
        false
    }
}

/// Who finds no entry puts one in the place of what was counted since.
#[derive(Debug, Default)]
pub struct Bridges {
    passed: RwLock<HashMap<u32, AtomicU64>>,
}

impl Bridges {
    fn has(&self, bridge: u32) -> bool {
        self.passed.read().unwrap().contains_key(&bridge) //~
    }

    pub fn pass(&self, bridge: u32, by: u64) {
        if !self.has(bridge) {
            self.passed.write().unwrap().insert(bridge, AtomicU64::new(0)); //~
        }
        if let Some(passed) = self.passed.read().unwrap().get(&bridge) {
            passed.fetch_add(by, SeqCst);
        }
    }
}

/// Each number is behind a lock of its own, and looked at and changed under that.
#[derive(Debug, Default)]
pub struct Purses {
    coins: RwLock<HashMap<u32, Mutex<i64>>>,
}

impl Purses {
    pub fn sew(&self, purse: u32) {
        self.coins.write().unwrap().entry(purse).or_default();
    }

    pub fn put(&self, purse: u32, coins: i64) -> Option<i64> {
        let purses = self.coins.read().unwrap();
        let mut there = purses.get(&purse)?.lock().unwrap();
        *there += coins;
        Some(*there)
    }

    pub fn pay(&self, purse: u32, coins: i64) -> bool {
        let purses = self.coins.read().unwrap();
        let Some(purse) = purses.get(&purse) else { return false };
        let mut there = purse.lock().unwrap();
        if *there < coins {
            return false;
        }
        *there -= coins;
        true
    }
}

/// It is looked at under one guard, and changed under the next.
#[derive(Debug, Default)]
pub struct Chests {
    coins: RwLock<HashMap<u32, Mutex<i64>>>,
}

impl Chests {
    pub fn make(&self, chest: u32) {
        self.coins.write().unwrap().entry(chest).or_default();
    }

    pub fn pay(&self, chest: u32, coins: i64) -> bool {
        let chests = self.coins.read().unwrap();
        let Some(chest) = chests.get(&chest) else { return false };
        let there = *chest.lock().unwrap(); //~
        if there < coins {
            return false;
        }
        *chest.lock().unwrap() = there - coins; //~
        true
    }
}

/// Each lock has more behind it than a number.
#[derive(Debug, Default)]
pub struct Drawer {
    spoons: Vec<u32>,
    opened: u64,
}

#[derive(Debug, Default)]
pub struct Dressers {
    drawers: RwLock<HashMap<String, Mutex<Drawer>>>,
}

impl Dressers {
    pub fn build(&self, name: &str) {
        self.drawers.write().unwrap().entry(name.to_owned()).or_default();
    }

    pub fn lay(&self, name: &str, spoon: u32) -> bool {
        let drawers = self.drawers.read().unwrap();
        let Some(drawer) = drawers.get(name) else { return false };
        let mut drawer = drawer.lock().unwrap();
        drawer.opened += 1;
        if drawer.spoons.contains(&spoon) {
            return false;
        }
        drawer.spoons.push(spoon);
        true
    }

    pub fn clear(&self, name: &str) -> Option<Vec<u32>> {
        let drawers = self.drawers.read().unwrap();
        let mut drawer = drawers.get(name)?.lock().unwrap();
        Some(std::mem::take(&mut drawer.spoons))
    }
}

/// The number is looked at in one critical section, and changed in the next, where it is looked up once more.
#[derive(Debug, Default)]
pub struct Gauges {
    marks: Mutex<HashMap<u32, AtomicU64>>,
}

impl Gauges {
    pub fn set(&self, gauge: u32) {
        self.marks.lock().unwrap().entry(gauge).or_default();
    }

    pub fn double(&self, gauge: u32) {
        let before = match self.marks.lock().unwrap().get(&gauge) {
            Some(mark) => mark.load(SeqCst), //~
            None => return,
        };
        if let Some(mark) = self.marks.lock().unwrap().get(&gauge) {
            mark.store(before * 2, SeqCst); //~
        }
    }
}

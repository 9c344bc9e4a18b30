//! Who takes out what others take out as well does not find it any more.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, RwLock};

/// Parcels that nobody came for are sent back; nothing else happens to those that are here.
#[derive(Default)]
pub struct Depot {
    waiting: RwLock<HashMap<u32, u64>>,
}

impl Depot {
    pub fn with(waiting: HashMap<u32, u64>) -> Depot {
        Depot { waiting: RwLock::new(waiting) }
    }

    pub fn send_back(&self, today: u64) {
        let late: Vec<u32> =
            self.waiting.read().unwrap().iter().filter(|(_, day)| **day < today).map(|(id, _)| *id).collect();
        for id in late {
            self.waiting.write().unwrap().remove(&id);
        }
    }

    pub fn hand_out(&self, id: u32) {
        self.waiting.write().unwrap().remove(&id);
    }

    pub fn close(&self, today: u64) {
        self.waiting.write().unwrap().retain(|_, day| *day > today);
    }
}

/// The same, but whoever is late may ask for more time.
#[derive(Default)]
pub struct Locker {
    rented: RwLock<HashMap<u32, u64>>,
}

impl Locker {
    pub fn clear_out(&self, today: u64) {
        let over: Vec<u32> =
            self.rented.read().unwrap().iter().filter(|(_, day)| **day < today).map(|(id, _)| *id).collect(); //~
        for id in over {
            self.rented.write().unwrap().remove(&id); //~
        }
    }

    pub fn leave(&self, id: u32) {
        self.rented.write().unwrap().remove(&id);
    }

    pub fn rent(&self, id: u32, until: u64) {
        self.rented.write().unwrap().insert(id, until); //~
    }
}

/// How many there are is told, and what is old goes: a count of before is no lie.
#[derive(Default)]
pub struct Attic {
    boxes: Mutex<BTreeMap<u32, u64>>,
}

impl Attic {
    pub fn tidy(&self, year: u64) -> usize {
        let before = self.boxes.lock().unwrap().len();
        self.boxes.lock().unwrap().retain(|_, packed| *packed >= year);
        before
    }

    pub fn store(&self, number: u32, year: u64) {
        self.boxes.lock().unwrap().insert(number, year);
    }
}

/// Who asks for what is out of date is told so, and takes it away; so does who clears up.
#[derive(Default)]
pub struct Fridge {
    food: Mutex<BTreeMap<u32, u64>>,
}

impl Fridge {
    pub fn with(food: BTreeMap<u32, u64>) -> Fridge {
        Fridge { food: Mutex::new(food) }
    }

    pub fn is_good(&self, what: u32, today: u64) -> bool {
        let until = self.food.lock().unwrap().get(&what).copied();
        match until {
            Some(until) if until < today => {
                self.food.lock().unwrap().remove(&what);
                false
            }
            until => until.is_some(),
        }
    }

    pub fn clear(&self) {
        self.food.lock().unwrap().clear();
    }
}

/// Whoever closes it again finds nothing to hang up, and goes on all the same.
pub struct Line {
    caller: Mutex<Option<u32>>,
    closed: Mutex<u32>,
}

impl Line {
    pub fn open(caller: u32) -> Line {
        Line { caller: Mutex::new(Some(caller)), closed: Mutex::new(0) }
    }

    pub fn close(&self) {
        self.caller.lock().unwrap().take();
        let before = *self.closed.lock().unwrap(); //~
        *self.closed.lock().unwrap() = before + 1; //~
    }

    pub fn closed(&self) -> u32 {
        *self.closed.lock().unwrap()
    }
}

/// Only who finds somebody counts.
pub struct Quiet {
    caller: Mutex<Option<u32>>,
    closed: Mutex<u32>,
}

impl Quiet {
    pub fn open(caller: u32) -> Quiet {
        Quiet { caller: Mutex::new(Some(caller)), closed: Mutex::new(0) }
    }

    pub fn close(&self) {
        if self.caller.lock().unwrap().take().is_some() {
            let before = *self.closed.lock().unwrap();
            *self.closed.lock().unwrap() = before + 1;
        }
    }

    pub fn closed(&self) -> u32 {
        *self.closed.lock().unwrap()
    }
}

//! A set of keys that are worked on: who was first to put one in has what goes by that key to itself.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Default)]
pub struct Baker {
    baking: Mutex<HashSet<u32>>,
    shelf: Mutex<HashMap<u32, String>>,
}

impl Baker {
    pub fn bake(&self, order: u32) -> bool {
        if !self.baking.lock().unwrap().insert(order) {
            return false;
        }
        let there = self.shelf.lock().unwrap().contains_key(&order);
        if !there {
            let bread = std::fs::read_to_string(order.to_string()).unwrap_or_default();
            self.shelf.lock().unwrap().insert(order, bread);
        }
        self.baking.lock().unwrap().remove(&order);
        true
    }

    pub fn look(&self, order: u32) -> Option<String> {
        self.shelf.lock().unwrap().get(&order).cloned()
    }
}

/// A map says so, too.
#[derive(Default)]
pub struct Clerk {
    counting: Mutex<HashMap<String, u32>>,
    counts: Mutex<HashMap<String, u64>>,
}

impl Clerk {
    pub fn count(&self, name: &str, who: u32) -> bool {
        if self.counting.lock().unwrap().insert(name.to_string(), who).is_some() {
            return false;
        }
        let count = self.counts.lock().unwrap().get(name).copied().unwrap_or(0);
        self.counts.lock().unwrap().insert(name.to_string(), count + 1);
        self.counting.lock().unwrap().remove(name);
        true
    }
}

/// What is changed goes by no key.
#[derive(Default)]
pub struct Till {
    paying: Mutex<HashSet<u32>>,
    total: Mutex<u64>,
}

impl Till {
    pub fn pay(&self, guest: u32) -> bool {
        if !self.paying.lock().unwrap().insert(guest) {
            return false;
        }
        let total = *self.total.lock().unwrap(); //~
        *self.total.lock().unwrap() = total + 1; //~
        self.paying.lock().unwrap().remove(&guest);
        true
    }
}

/// Somebody else does not ask who is at it.
#[derive(Default)]
pub struct Scale {
    weighing: Mutex<HashSet<u32>>,
    weights: Mutex<HashMap<u32, u64>>,
}

impl Scale {
    pub fn add(&self, bag: u32) -> bool {
        if !self.weighing.lock().unwrap().insert(bag) {
            return false;
        }
        let weight = self.weights.lock().unwrap().get(&bag).copied().unwrap_or(0); //~
        self.weights.lock().unwrap().insert(bag, weight + 1); //~
        self.weighing.lock().unwrap().remove(&bag);
        true
    }

    pub fn set(&self, bag: u32, weight: u64) {
        self.weights.lock().unwrap().insert(bag, weight); //~
    }
}

/// Whether it was the first one is not asked.
#[derive(Default)]
pub struct Porter {
    carrying: Mutex<HashSet<u32>>,
    carried: Mutex<HashMap<u32, u64>>,
}

impl Porter {
    pub fn carry(&self, trunk: u32) {
        self.carrying.lock().unwrap().insert(trunk);
        let carried = self.carried.lock().unwrap().get(&trunk).copied().unwrap_or(0); //~
        self.carried.lock().unwrap().insert(trunk, carried + 1); //~
        self.carrying.lock().unwrap().remove(&trunk);
    }
}

/// It is given back before the work is done, or by somebody else.
#[derive(Default)]
pub struct Waiter {
    serving: Mutex<HashSet<u32>>,
    bills: Mutex<HashMap<u32, u64>>,
}

impl Waiter {
    pub fn serve(&self, table: u32) -> bool {
        if !self.serving.lock().unwrap().insert(table) {
            return false;
        }
        let bill = self.bills.lock().unwrap().get(&table).copied().unwrap_or(0); //~
        self.serving.lock().unwrap().remove(&table);
        self.bills.lock().unwrap().insert(table, bill + 1); //~
        true
    }
}

#[derive(Default)]
pub struct Desk {
    serving: Mutex<HashSet<u32>>,
    bills: Mutex<HashMap<u32, u64>>,
}

impl Desk {
    pub fn serve(&self, table: u32) -> bool {
        if !self.serving.lock().unwrap().insert(table) {
            return false;
        }
        let bill = self.bills.lock().unwrap().get(&table).copied().unwrap_or(0); //~
        self.bills.lock().unwrap().insert(table, bill + 1); //~
        self.serving.lock().unwrap().remove(&table);
        true
    }

    pub fn cancel(&self, table: u32) {
        self.serving.lock().unwrap().remove(&table);
    }
}

/// One flag for all, that nobody says is down at first: else nobody would ask.
#[derive(Default)]
pub struct Turnstile {
    busy: AtomicBool,
    passed: AtomicU64,
}

impl Turnstile {
    pub fn pass(&self) -> bool {
        if self.busy.swap(true, Ordering::SeqCst) {
            return false;
        }
        let passed = self.passed.load(Ordering::SeqCst);
        self.passed.store(passed + 1, Ordering::SeqCst);
        self.busy.store(false, Ordering::SeqCst);
        true
    }
}

/// It is lowered before the work is done.
#[derive(Default)]
pub struct Gate {
    busy: AtomicBool,
    passed: AtomicU64,
}

impl Gate {
    pub fn pass(&self) -> bool {
        if self.busy.swap(true, Ordering::SeqCst) {
            return false;
        }
        let passed = self.passed.load(Ordering::SeqCst); //~
        self.busy.store(false, Ordering::SeqCst);
        self.passed.store(passed + 1, Ordering::SeqCst); //~
        true
    }
}

/// Begins what is to be begun once: a flag says that it was, but nobody asks who has raised it.
#[derive(Default)]
pub struct Opening {
    open: AtomicBool,
    opened: AtomicBool,
}

fn serve() {
    println!("open");
}

impl Opening {
    pub fn open(&self) {
        if self.open.load(Ordering::SeqCst) { //~
            return;
        }
        self.open.swap(true, Ordering::SeqCst); //~
        std::thread::spawn(serve);
    }

    /// The one who has raised it begins.
    pub fn open_once(&self) {
        if self.opened.swap(true, Ordering::SeqCst) {
            return;
        }
        std::thread::spawn(serve);
    }
}

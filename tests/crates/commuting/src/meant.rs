//! What gives a reason to be meant as one piece: a change that goes by an earlier look, a look that panics unless an earlier one
//! still holds, variables that are changed together under one lock. Nothing else is more than worth a note.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Both are changed under one lock, and looked at under two.
#[derive(Default)]
pub struct Account {
    parts: Mutex<(u64, u64)>,
}

#[derive(Default)]
pub struct Desk {
    lamps: AtomicU64,
    chairs: AtomicU64,
}

impl Account {
    pub fn transfer(&self, amount: u64) {
        let mut parts = self.parts.lock().unwrap();
        parts.0 = parts.0.wrapping_sub(amount); //~
        parts.1 = parts.1.wrapping_add(amount); //~
    }

    pub fn total(&self) -> u64 {
        let first = self.parts.lock().unwrap().0; //~
        first + self.parts.lock().unwrap().1 //~
    }
}

impl Desk {
    /// Nothing says that lamps go with chairs.
    pub fn furnish(&self, count: u64) {
        self.lamps.fetch_add(count, SeqCst);
        self.chairs.fetch_add(count, SeqCst);
    }

    pub fn furniture(&self) -> (u64, u64) {
        (self.lamps.load(SeqCst), self.chairs.load(SeqCst))
    }
}

/// How many there are only says how much room to make.
#[derive(Default)]
pub struct Rows {
    rows: Mutex<Vec<String>>,
}

impl Rows {
    pub fn take_all(&self) -> Vec<String> {
        let mut taken = Vec::with_capacity(self.rows.lock().unwrap().len());
        let mut rows = self.rows.lock().unwrap();
        while let Some(row) = rows.pop() { //~
            taken.push(row);
        }
        taken
    }

    pub fn add(&self, row: String) {
        self.rows.lock().unwrap().push(row);
    }

    /// It panics when there are fewer by then.
    pub fn last(&self) -> Option<String> {
        let count = self.rows.lock().unwrap().len(); //~
        if count == 0 {
            return None;
        }
        Some(self.rows.lock().unwrap()[count - 1].clone()) //~
    }
}

/// A compare-exchange fails when somebody else was there.
#[derive(Default)]
pub struct Turnstile {
    inside: AtomicU64,
}

impl Turnstile {
    pub fn enter(&self, most: u64) -> bool {
        let mut now = self.inside.load(SeqCst);
        loop {
            if now >= most {
                return false;
            }
            match self.inside.compare_exchange_weak(now, now + 1, SeqCst, SeqCst) {
                Ok(_) => return true,
                Err(other) => now = other,
            }
        }
    }
}

/// The same with a store, which does not fail.
#[derive(Default)]
pub struct Gate {
    inside: AtomicU64,
}

impl Gate {
    pub fn enter(&self, most: u64) -> bool {
        let now = self.inside.load(SeqCst); //~
        if now >= most {
            return false;
        }
        self.inside.store(now + 1, SeqCst); //~
        true
    }
}

/// What was taken out is added again.
#[derive(Default)]
pub struct Till {
    coins: AtomicU64,
}

impl Till {
    pub fn carry(&self, bag: u64) -> u64 {
        let coins = self.coins.swap(0, SeqCst);
        if coins > bag {
            self.coins.fetch_add(coins - bag, SeqCst);
        }
        coins.min(bag)
    }

    pub fn pay(&self) {
        self.coins.fetch_add(1, SeqCst);
    }
}

/// What was taken out is put in place of what came meanwhile.
#[derive(Default)]
pub struct Purse {
    coins: AtomicU64,
}

impl Purse {
    pub fn carry(&self, bag: u64) -> u64 {
        let coins = self.coins.swap(0, SeqCst); //~
        if coins > bag {
            self.coins.store(coins - bag, SeqCst); //~
        }
        coins.min(bag)
    }
}

/// What is looked at again is asked whether it is there before it is taken to be.
#[derive(Default)]
pub struct Host {
    host: Mutex<Option<u32>>,
}

impl Host {
    fn host(&self) -> Option<u32> {
        *self.host.lock().unwrap()
    }

    pub fn greet(&self, name: u32) -> bool {
        if self.host().is_none() {
            return false;
        }
        let host = self.host();
        host.is_some() && host.unwrap() == name
    }

    pub fn leave(&self) {
        *self.host.lock().unwrap() = None;
    }
}

/// The same, without asking again.
#[derive(Default)]
pub struct Guest {
    guest: Mutex<Option<u32>>,
}

impl Guest {
    pub fn greet(&self, name: u32) -> bool {
        if self.guest.lock().unwrap().is_none() { //~
            return false;
        }
        self.guest.lock().unwrap().unwrap() == name //~
    }

    pub fn leave(&self) {
        *self.guest.lock().unwrap() = None; //~
    }
}

/// That a number is no text is a mistake of whoever wrote it, not of who came in between.
#[derive(Default)]
pub struct Lines {
    lines: Mutex<Vec<String>>,
}

impl Lines {
    pub fn sum(&self) -> u64 {
        if self.lines.lock().unwrap().is_empty() {
            return 0;
        }
        let text = self.lines.lock().unwrap().concat();
        u64::from_str_radix(&text, 16).unwrap()
    }

    pub fn add(&self, line: String) {
        self.lines.lock().unwrap().push(line);
    }

    pub fn forget(&self) {
        self.lines.lock().unwrap().clear();
    }
}

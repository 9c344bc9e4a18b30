//! How many there are, less how many there were or will be, each counted under a lock of its own.

use std::collections::HashMap;
use std::sync::Mutex;

/// Those who enter in between make the number of those who left less than nothing.
#[derive(Default)]
pub struct Museum {
    inside: Mutex<HashMap<u32, u64>>,
}

impl Museum {
    pub fn enter(&self, visitor: u32, now: u64) {
        self.inside.lock().unwrap().insert(visitor, now); //~
    }

    pub fn close(&self, before: u64) -> usize {
        let all = self.inside.lock().unwrap().len(); //~
        self.inside.lock().unwrap().retain(|_, entered| *entered > before);
        all - self.inside.lock().unwrap().len() //~
    }
}

/// It is counted under one lock.
#[derive(Default)]
pub struct Gallery {
    inside: Mutex<HashMap<u32, u64>>,
}

impl Gallery {
    pub fn enter(&self, visitor: u32, now: u64) {
        self.inside.lock().unwrap().insert(visitor, now);
    }

    pub fn close(&self, before: u64) -> usize {
        let mut inside = self.inside.lock().unwrap();
        let all = inside.len();
        inside.retain(|_, entered| *entered > before);
        all - inside.len()
    }
}

/// Others only leave: there are never more than there were.
#[derive(Default)]
pub struct Cinema {
    seats: Mutex<HashMap<u32, u64>>,
}

impl Cinema {
    pub fn leave(&self, seat: u32) {
        self.seats.lock().unwrap().remove(&seat);
    }

    pub fn how_many_leave(&self) -> usize {
        let all = self.seats.lock().unwrap().len();
        std::thread::yield_now();
        all - self.seats.lock().unwrap().len()
    }
}

/// What is less than nothing is nothing.
#[derive(Default)]
pub struct Theatre {
    inside: Mutex<HashMap<u32, u64>>,
}

impl Theatre {
    pub fn enter(&self, visitor: u32, now: u64) {
        self.inside.lock().unwrap().insert(visitor, now);
    }

    pub fn close(&self, before: u64) -> usize {
        let all = self.inside.lock().unwrap().len();
        self.inside.lock().unwrap().retain(|_, entered| *entered > before);
        all.saturating_sub(self.inside.lock().unwrap().len())
    }
}

//! Elements under keys that nobody else has are nobody else's.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

/// Each parcel has a number of its own.
#[derive(Default)]
pub struct Post {
    next: AtomicU64,
    weights: Mutex<HashMap<u64, u32>>,
}

impl Post {
    pub fn send(&self, grams: u32) -> u32 {
        let number = self.next.fetch_add(1, SeqCst);
        self.weights.lock().unwrap().insert(number, grams);
        let known = self.weights.lock().unwrap().get(&number).copied().unwrap_or(0);
        self.weights.lock().unwrap().insert(number, known + 5);
        known
    }
}

/// The same, changed in place and then taken away.
#[derive(Default)]
pub struct Rinks {
    tickets: AtomicU64,
    rounds: RwLock<BTreeMap<u64, u32>>,
}

impl Rinks {
    pub fn skate(&self) -> u32 {
        let ticket = self.tickets.fetch_add(1, SeqCst);
        self.rounds.write().unwrap().insert(ticket, 0);
        let before = self.rounds.read().unwrap().get(&ticket).copied().unwrap_or(7);
        if let Some(rounds) = self.rounds.write().unwrap().get_mut(&ticket) {
            *rounds = before * 2;
        }
        self.rounds.write().unwrap().remove(&ticket).unwrap_or(before)
    }
}

/// Looked up before it is put in, under a key of its own.
#[derive(Default)]
pub struct Lots {
    drawn: AtomicU64,
    prizes: Mutex<HashMap<u64, String>>,
}

impl Lots {
    pub fn draw(&self, prize: &str) {
        let lot = self.drawn.fetch_add(1, SeqCst);
        let missing = !self.prizes.lock().unwrap().contains_key(&lot);
        if missing {
            self.prizes.lock().unwrap().insert(lot, prize.to_string());
        }
    }
}

/// The key is the caller's: two may have the same.
#[derive(Default)]
pub struct Lockers {
    next: AtomicU64,
    things: Mutex<HashMap<u64, u32>>,
}

impl Lockers {
    pub fn weigh(&self, locker: u64) -> u32 {
        let known = self.things.lock().unwrap().get(&locker).copied().unwrap_or(0); //~
        self.things.lock().unwrap().insert(locker, known + 5); //~
        known
    }

    pub fn open(&self) -> u64 {
        self.next.fetch_add(1, SeqCst)
    }
}

/// The number is looked at, not drawn.
#[derive(Default)]
pub struct Seats {
    taken: AtomicU64,
    names: Mutex<HashMap<u64, u32>>,
}

impl Seats {
    pub fn sit(&self, guest: u32) {
        let seat = self.taken.load(SeqCst);
        let before = self.names.lock().unwrap().get(&seat).copied().unwrap_or(guest); //~
        self.names.lock().unwrap().insert(seat, before * 2); //~
    }

    pub fn next(&self) {
        self.taken.fetch_add(1, SeqCst);
    }
}

/// A number of one's own is put in, but what is looked at is somebody else's.
#[derive(Default)]
pub struct Chain {
    links: AtomicU64,
    parents: Mutex<HashMap<u64, u64>>,
}

impl Chain {
    pub fn hang(&self, parent: u64) {
        let link = self.links.fetch_add(1, SeqCst);
        self.parents.lock().unwrap().insert(link, parent);
        let deepest = self.parents.lock().unwrap().get(&parent).copied().unwrap_or(parent); //~
        self.parents.lock().unwrap().insert(parent, deepest + 1); //~
    }
}

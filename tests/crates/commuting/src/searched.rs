//! Loops that look for a key under which there is nothing yet.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

fn random() -> u64 {
    RandomState::new().hash_one(1)
}

/// What was free is taken by the time that it is entered.
#[derive(Default)]
pub struct Loose {
    rooms: Mutex<HashMap<u64, String>>,
    ports: Mutex<HashMap<String, u32>>,
}

impl Loose {
    pub fn open(&self, topic: String) -> u64 {
        let id = loop {
            let id = random();
            if !self.rooms.lock().unwrap().contains_key(&id) { //~
                break id;
            }
        };
        self.rooms.lock().unwrap().insert(id, topic); //~
        id
    }

    pub fn close(&self, id: u64) -> Option<String> {
        self.rooms.lock().unwrap().remove(&id)
    }

    pub fn enter(&self, name: &str, port: u32) -> String {
        let (mut unique, mut number) = (name.to_owned(), 1);
        while self.ports.lock().unwrap().contains_key(&unique) { //~
            unique = format!("{name}-{number}");
            number += 1;
        }
        self.ports.lock().unwrap().insert(unique.clone(), port); //~
        unique
    }

    pub fn leave(&self, name: &str) -> Option<u32> {
        self.ports.lock().unwrap().remove(name)
    }
}

/// In one section, in an entry, under a number that nobody else is given, or for something else.
#[derive(Default)]
pub struct Fast {
    next: AtomicU64,
    rooms: Mutex<HashMap<u64, String>>,
    seats: Mutex<HashMap<u64, String>>,
    jobs: Mutex<HashMap<u64, String>>,
    links: Mutex<HashMap<u64, u64>>,
    walks: AtomicU64,
}

impl Fast {
    pub fn open(&self, topic: String) -> u64 {
        let mut rooms = self.rooms.lock().unwrap();
        let id = loop {
            let id = random();
            if !rooms.contains_key(&id) {
                break id;
            }
        };
        rooms.insert(id, topic);
        id
    }

    pub fn close(&self, id: u64) -> Option<String> {
        self.rooms.lock().unwrap().remove(&id)
    }

    pub fn sit(&self, name: String) -> u64 {
        loop {
            let id = random();
            if let Entry::Vacant(free) = self.seats.lock().unwrap().entry(id) {
                free.insert(name);
                return id;
            }
        }
    }

    pub fn rise(&self, id: u64) -> Option<String> {
        self.seats.lock().unwrap().remove(&id)
    }

    pub fn start(&self, job: String) -> u64 {
        let mut id = self.next.fetch_add(1, Ordering::Relaxed);
        while self.jobs.lock().unwrap().contains_key(&id) {
            id = self.next.fetch_add(1, Ordering::Relaxed);
        }
        self.jobs.lock().unwrap().insert(id, job);
        id
    }

    pub fn finish(&self, id: u64) -> Option<String> {
        self.jobs.lock().unwrap().remove(&id)
    }

    pub fn walk(&self, mut id: u64) -> u64 {
        while let Some(next) = self.links.lock().unwrap().get(&id).copied() {
            id = next;
        }
        self.walks.fetch_add(1, Ordering::Relaxed);
        id
    }

    pub fn link(&self, from: u64, to: u64) {
        self.links.lock().unwrap().insert(from, to);
    }
}

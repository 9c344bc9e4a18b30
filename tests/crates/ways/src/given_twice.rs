//! What was seen is given to the caller, or sent, and what it was seen of is changed in a section of its own: two get the same.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::Sender;

/// Numbers for those who come.
#[derive(Default)]
pub struct Desk {
    number: Mutex<u64>,
    served: AtomicU64,
}

impl Desk {
    /// Two get one number.
    pub fn draw(&self) -> u64 {
        let number = *self.number.lock().unwrap(); //~
        *self.number.lock().unwrap() += 1; //~
        number
    }

    /// Two are told the same count.
    pub fn serve(&self) -> String {
        let before = self.served.load(SeqCst); //~
        self.served.fetch_add(1, SeqCst); //~
        format!("{before}")
    }
}

/// As a desk, and each gets a number of its own.
#[derive(Default)]
pub struct Counter {
    number: Mutex<u64>,
    served: AtomicU64,
}

impl Counter {
    /// Its own one.
    pub fn draw(&self) -> u64 {
        let mut number = self.number.lock().unwrap();
        *number += 1;
        *number
    }

    /// Nobody is told how many there were.
    pub fn serve(&self) -> bool {
        let before = self.served.load(SeqCst);
        self.served.fetch_add(1, SeqCst);
        drop(before);
        true
    }
}

/// Parcels, each for one.
#[derive(Default)]
pub struct Parcels {
    waiting: Mutex<VecDeque<u32>>,
}

impl Parcels {
    /// One more.
    pub fn put(&self, parcel: u32) {
        self.waiting.lock().unwrap().push_back(parcel);
    }

    /// Two get the first one.
    pub fn next(&self) -> Option<u32> {
        let first = self.waiting.lock().unwrap().front().copied(); //~
        self.waiting.lock().unwrap().pop_front(); //~
        first
    }
}

/// Names, each with a place.
pub struct Names {
    all: Mutex<Vec<String>>,
    told: Mutex<Sender<(usize, String)>>,
}

impl Names {
    /// None yet.
    pub fn new(told: Sender<(usize, String)>) -> Names {
        Names { all: Mutex::default(), told: Mutex::new(told) }
    }

    /// Two names are told to have one place.
    pub fn enter(&self, name: String) {
        let place = self.all.lock().unwrap().len(); //~
        self.all.lock().unwrap().push(name.clone()); //~
        let _ = self.told.lock().unwrap().send((place, name));
    }
}

/// Who was the first, by room: a vector of one is no constant.
#[derive(Default)]
pub struct Rooms {
    guests: Mutex<HashMap<u32, Vec<u32>>>,
    empty: Mutex<HashMap<u32, Vec<u32>>>,
}

impl Rooms {
    /// Two are the first.
    pub fn open(&self, room: u32, guest: u32) {
        if !self.guests.lock().unwrap().contains_key(&room) { //~
            self.guests.lock().unwrap().insert(room, vec![guest]); //~
        }
    }

    /// A room with what is made of its number is the same, whoever makes it.
    pub fn clean(&self, room: u32) {
        if !self.empty.lock().unwrap().contains_key(&room) {
            self.empty.lock().unwrap().insert(room, vec![room]);
        }
    }

    /// Who is there.
    pub fn guests(&self, room: u32) -> Option<Vec<u32>> {
        self.guests.lock().unwrap().get(&room).cloned()
    }

    /// What is there.
    pub fn things(&self, room: u32) -> Option<Vec<u32>> {
        self.empty.lock().unwrap().get(&room).cloned()
    }
}

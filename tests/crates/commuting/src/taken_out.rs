//! What comes out of a collection is one's own: which one that is does not matter beside others who only take, nor what is still in there.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// A parcel has a number of its own, and is being carried from when it is taken off the belt.
#[derive(Debug, Default)]
pub struct Belt {
    next: AtomicU64,
    parcels: Mutex<VecDeque<u64>>,
    carried: Mutex<HashMap<u64, String>>,
}

impl Belt {
    pub fn put(&self) {
        let parcel = self.next.fetch_add(1, SeqCst);
        self.parcels.lock().unwrap().push_back(parcel);
    }

    pub fn carry(&self, porter: &str) -> Option<u64> {
        let parcel = self.parcels.lock().unwrap().pop_front()?;
        self.carried.lock().unwrap().insert(parcel, porter.to_string());
        std::thread::yield_now();
        self.carried.lock().unwrap().remove(&parcel);
        Some(parcel)
    }

    pub fn carried(&self) -> usize {
        self.carried.lock().unwrap().len()
    }
}

/// One guest may come twice: who is done with one of them forgets that there is the other one.
#[derive(Debug, Default)]
pub struct Desk {
    guests: Mutex<VecDeque<u64>>,
    served: Mutex<HashMap<u64, String>>,
}

impl Desk {
    pub fn come(&self, guest: u64) {
        self.guests.lock().unwrap().push_back(guest);
    }

    pub fn serve(&self, clerk: &str) -> Option<u64> {
        let guest = self.guests.lock().unwrap().pop_front()?;
        self.served.lock().unwrap().insert(guest, clerk.to_string()); //~
        std::thread::yield_now();
        self.served.lock().unwrap().remove(&guest); //~
        Some(guest)
    }
}

/// Whoever has not seen yet that it is over takes one more.
#[derive(Debug, Default)]
pub struct Buffet {
    over: AtomicBool,
    dishes: Mutex<Vec<String>>,
}

impl Buffet {
    pub fn eat(&self) {
        while !self.over.load(SeqCst) {
            let Some(dish) = self.dishes.lock().unwrap().pop() else { return };
            println!("{dish}");
        }
    }

    pub fn close(&self) -> Option<String> {
        self.over.store(true, SeqCst);
        self.dishes.lock().unwrap().pop()
    }
}

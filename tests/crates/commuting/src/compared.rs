//! What goes on only if a variable still is as it was.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// The price is changed only if it still is the one that was haggled over.
#[derive(Default)]
pub struct Stall {
    prices: Mutex<HashMap<u8, u64>>,
}

impl Stall {
    pub fn haggle(&self, ware: u8) {
        let price = self.prices.lock().unwrap().get(&ware).copied();
        std::thread::yield_now();
        let mut prices = self.prices.lock().unwrap();
        if prices.get(&ware).copied() == price {
            prices.insert(ware, 3);
        }
    }

    pub fn mark(&self, ware: u8, price: u64) {
        self.prices.lock().unwrap().insert(ware, price);
    }
}

/// A letter is sealed only while the draft is the one that was read.
#[derive(Default)]
pub struct Desk {
    edition: AtomicUsize,
    sealed: Mutex<Vec<usize>>,
}

impl Desk {
    pub fn seal(&self) {
        let edition = self.edition.load(SeqCst);
        let mut sealed = self.sealed.lock().unwrap();
        if self.edition.load(SeqCst) == edition {
            sealed.push(1);
        }
    }

    pub fn edit(&self) {
        let mut sealed = self.sealed.lock().unwrap();
        self.edition.fetch_add(1, SeqCst);
        sealed.clear();
    }
}

/// Looked at before, and not again.
#[derive(Default)]
pub struct Umbrellas {
    stand: Mutex<HashMap<u8, Arc<String>>>,
}

impl Umbrellas {
    pub fn visit(&self, place: u8, umbrella: String) {
        let mine = Arc::new(umbrella);
        let free = !self.stand.lock().unwrap().contains_key(&place); //~
        if free {
            self.stand.lock().unwrap().insert(place, mine); //~
        }
    }

    pub fn leave(&self, place: u8) {
        self.stand.lock().unwrap().remove(&place);
    }
}

/// The newest sketch counts, and who is not the newest any more draws nothing.
#[derive(Default)]
pub struct Easel {
    turn: Mutex<u64>,
}

impl Easel {
    pub fn draw(&self) -> Option<&'static str> {
        let mine = {
            let mut turn = self.turn.lock().unwrap();
            *turn += 1;
            *turn
        };
        std::thread::yield_now();
        let mut turn = self.turn.lock().unwrap();
        if *turn == mine {
            *turn = 0;
        }
        None
    }
}

/// The turn is looked at again, but what differs is stored all the same.
#[derive(Default)]
pub struct Relay {
    turn: AtomicUsize,
}

impl Relay {
    pub fn pass(&self, to: usize) {
        let before = self.turn.load(SeqCst); //~
        if self.turn.load(SeqCst) != before + to { //~
            self.turn.store(before + 1, SeqCst); //~
        }
    }
}

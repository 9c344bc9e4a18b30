//! What is taken back later, by as much, is as if it had not been done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

fn print_badge(number: u32) -> Result<(), ()> {
    if number.is_multiple_of(13) { Err(()) } else { Ok(()) }
}

/// Memory is set aside before it is known whether it is needed.
#[derive(Default)]
pub struct Budget {
    left: Mutex<u64>,
}

impl Budget {
    pub fn allot(&self, bytes: u64, name: u32) -> Result<(), ()> {
        let mut left = self.left.lock().unwrap();
        if bytes > *left {
            return Err(());
        }
        *left -= bytes;
        drop(left);
        let printed = print_badge(name);
        if printed.is_err() {
            *self.left.lock().unwrap() += bytes;
        }
        printed
    }
}

/// The same with a word: who asks for too much gives it back.
#[derive(Default)]
pub struct Slots {
    used: AtomicU64,
}

impl Slots {
    pub fn enter(&self, weight: u64) -> bool {
        let before = self.used.fetch_add(weight, SeqCst);
        if before + weight > 64 {
            self.used.fetch_sub(weight, SeqCst);
            return false;
        }
        true
    }

    pub fn leave(&self, weight: u64) {
        self.used.fetch_sub(weight, SeqCst);
    }
}

/// A ticket is sold and, when the badge cannot be printed, returned.
#[derive(Default)]
pub struct Fair {
    tickets: Mutex<u32>,
}

impl Fair {
    pub fn attend(&self, number: u32) -> bool {
        {
            let mut tickets = self.tickets.lock().unwrap();
            if *tickets == 0 {
                return false;
            }
            *tickets -= 1;
        }
        let printed = print_badge(number);
        if printed.is_err() {
            *self.tickets.lock().unwrap() += 1;
        }
        printed.is_ok()
    }
}

/// Looked at under one lock, taken under the next: nothing is taken back.
#[derive(Default)]
pub struct Queue {
    tokens: Mutex<u32>,
}

impl Queue {
    pub fn draw(&self, count: u32) -> bool {
        let enough = *self.tokens.lock().unwrap() >= count; //~
        if enough {
            *self.tokens.lock().unwrap() -= count; //~
        }
        enough
    }
}

/// Twice as much is taken as was looked for.
#[derive(Default)]
pub struct Cellar {
    bottles: Mutex<u32>,
}

impl Cellar {
    pub fn fetch(&self, count: u32) -> bool {
        {
            let mut bottles = self.bottles.lock().unwrap();
            if *bottles < 2 * count {
                return false;
            }
            *bottles -= count; //~
        }
        let fine = print_badge(count).is_ok();
        if fine {
            *self.bottles.lock().unwrap() -= count; //~
        }
        fine
    }
}

/// What is taken back is seen in between, and acted on: the shop shuts for good. Nothing is lost, so that is worth a note.
#[derive(Default)]
pub struct Shop {
    loaves: Mutex<u32>,
    shut: Mutex<bool>,
}

impl Shop {
    pub fn order(&self, count: u32) -> bool {
        {
            let mut loaves = self.loaves.lock().unwrap();
            if *loaves < count {
                return false;
            }
            *loaves -= count;
        }
        let paid = print_badge(count).is_ok();
        if !paid {
            *self.loaves.lock().unwrap() += count;
        }
        paid
    }

    pub fn evening(&self) {
        let loaves = self.loaves.lock().unwrap();
        if *loaves == 0 {
            *self.shut.lock().unwrap() = true;
        }
    }

    pub fn is_shut(&self) -> bool {
        *self.shut.lock().unwrap()
    }
}

/// Takes a place, pays, and gives the place back if that fails; otherwise it notes who came.
#[derive(Default)]
pub struct Ferry {
    places: Mutex<u32>,
    passengers: Mutex<Vec<String>>,
}

impl Ferry {
    pub fn board(&self, name: String, pay: fn(&str) -> bool) -> bool {
        {
            let mut places = self.places.lock().unwrap();
            if *places == 0 {
                return false;
            }
            *places -= 1;
        }
        if !pay(&name) {
            *self.places.lock().unwrap() += 1;
            return false;
        }
        self.passengers.lock().unwrap().push(name);
        true
    }
}

//! What was seen of something, or how much of it there was, is not asked again by whoever takes what there is: that may be another one by then.

use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Mutex;

/// The most urgent patient is looked at, and then the most urgent one is called, whoever that is by then.
#[derive(Default)]
pub struct Ward {
    waiting: Mutex<BinaryHeap<u32>>,
}

impl Ward {
    pub fn admit(&self, urgency: u32) {
        self.waiting.lock().unwrap().push(urgency); //~
    }

    pub fn call_urgent(&self) -> Option<u32> {
        let top = self.waiting.lock().unwrap().peek().copied()?; //~
        if top > 5 {
            return self.waiting.lock().unwrap().pop(); //~
        }
        None
    }
}

/// The same is asked under the lock that it is taken under.
#[derive(Default)]
pub struct Clinic {
    waiting: Mutex<BinaryHeap<u32>>,
}

impl Clinic {
    pub fn admit(&self, urgency: u32) {
        self.waiting.lock().unwrap().push(urgency);
    }

    pub fn call_urgent(&self) -> Option<u32> {
        let top = self.waiting.lock().unwrap().peek().copied()?;
        if top <= 5 {
            return None;
        }
        let mut waiting = self.waiting.lock().unwrap();
        if waiting.peek().is_none_or(|top| *top <= 5) {
            return None;
        }
        waiting.pop()
    }
}

/// The first train is due, and whichever is the first one then leaves.
#[derive(Default)]
pub struct Departures {
    at: Mutex<BTreeMap<u32, u64>>,
}

impl Departures {
    pub fn plan(&self, minute: u32, train: u64) {
        self.at.lock().unwrap().insert(minute, train); //~
    }

    pub fn leave(&self, now: u32) -> Option<(u32, u64)> {
        let first = *self.at.lock().unwrap().keys().next()?; //~
        if first > now {
            return None;
        }
        self.at.lock().unwrap().pop_first() //~
    }
}

/// Somebody is at the door, whoever it is.
#[derive(Default)]
pub struct Door {
    guests: Mutex<VecDeque<u64>>,
}

impl Door {
    pub fn ring(&self, guest: u64) {
        self.guests.lock().unwrap().push_back(guest);
    }

    pub fn open(&self) -> Option<u64> {
        if self.guests.lock().unwrap().len() == 0 {
            return None;
        }
        self.guests.lock().unwrap().pop_front()
    }

    pub fn peep(&self) -> Option<u64> {
        if self.guests.lock().unwrap().front().is_none() {
            return None;
        }
        self.guests.lock().unwrap().pop_front()
    }
}

/// A letter that is old is taken out of the slot, in which there may be a new one by then.
#[derive(Default)]
pub struct Slot {
    letter: Mutex<Option<u64>>,
}

impl Slot {
    pub fn put(&self, written: u64) {
        *self.letter.lock().unwrap() = Some(written); //~
    }

    pub fn clear(&self, oldest: u64) -> Option<u64> {
        let old = matches!(*self.letter.lock().unwrap(), Some(written) if written < oldest); //~
        if old { self.letter.lock().unwrap().take() } else { None } //~
    }
}

/// Whatever is in it is taken out.
#[derive(Default)]
pub struct Basket {
    letter: Mutex<Option<u64>>,
}

impl Basket {
    pub fn put(&self, written: u64) {
        *self.letter.lock().unwrap() = Some(written);
    }

    pub fn empty(&self) -> Option<u64> {
        let full = matches!(*self.letter.lock().unwrap(), Some(_));
        if full { self.letter.lock().unwrap().take() } else { None }
    }
}

/// Two who find a shelf too full take a book each, though one would have been enough.
#[derive(Default)]
pub struct Shelf {
    books: Mutex<Vec<u64>>,
}

impl Shelf {
    pub fn add(&self, book: u64) {
        self.books.lock().unwrap().push(book);
    }

    pub fn relieve(&self) -> Option<u64> {
        if self.books.lock().unwrap().len() > 3 { //~
            return self.books.lock().unwrap().pop(); //~
        }
        None
    }
}

/// It is counted under the lock.
#[derive(Default)]
pub struct Rack {
    books: Mutex<Vec<u64>>,
}

impl Rack {
    pub fn add(&self, book: u64) {
        self.books.lock().unwrap().push(book);
    }

    pub fn relieve(&self) -> Option<u64> {
        if self.books.lock().unwrap().len() <= 3 {
            return None;
        }
        let mut books = self.books.lock().unwrap();
        if books.len() <= 3 {
            return None;
        }
        books.pop()
    }
}

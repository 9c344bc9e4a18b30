//! What is looked at again is not relied on as it was seen first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, RwLock};

#[derive(Default)]
struct Line {
    waiting: VecDeque<u32>,
    served: u64,
}

/// Who finds nobody rings the bell and tries once more, from the beginning.
#[derive(Default)]
pub struct Counter {
    line: Mutex<Line>,
    rung: Mutex<u64>,
}

impl Counter {
    fn try_next(&self) -> Option<u32> {
        let mut line = self.line.lock().unwrap();
        if line.served == u64::MAX {
            return None;
        }
        let next = line.waiting.pop_front()?;
        line.served += 1;
        Some(next)
    }

    pub fn next(&self) -> Option<u32> {
        if let Some(next) = self.try_next() {
            return Some(next);
        }
        *self.rung.lock().unwrap() += 1;
        self.try_next()
    }

    pub fn join(&self, who: u32) {
        self.line.lock().unwrap().waiting.push_back(who);
    }
}

/// Which shelf a book is on is looked up first; who takes it off looks again, under both locks, whether it is there.
#[derive(Default)]
pub struct Library {
    shelf_of: RwLock<HashMap<u32, u8>>,
    shelves: RwLock<HashMap<u8, HashMap<u32, u64>>>,
}

impl Library {
    pub fn lend(&self, book: u32) -> bool {
        let shelf = self.shelf_of.read().unwrap().get(&book).copied();
        let mut shelf_of = self.shelf_of.write().unwrap();
        let Some(shelf) = shelf else { return false };
        let mut shelves = self.shelves.write().unwrap();
        let Some(books) = shelves.get_mut(&shelf) else { return false };
        if books.remove(&book).is_none() {
            return false;
        }
        shelf_of.remove(&book);
        true
    }

    pub fn clear(&self, shelf: u8) {
        let mut shelf_of = self.shelf_of.write().unwrap();
        let mut shelves = self.shelves.write().unwrap();
        shelves.remove(&shelf);
        shelf_of.retain(|_, on| *on != shelf);
    }
}

/// Looked up first, and taken off as if nobody could have moved it since.
#[derive(Default)]
pub struct Archive {
    box_of: RwLock<HashMap<u32, u8>>,
    filled: RwLock<HashMap<u8, u64>>,
}

impl Archive {
    pub fn take_out(&self, file: u32) {
        let Some(number) = self.box_of.read().unwrap().get(&file).copied() else { return }; //~
        *self.filled.write().unwrap().entry(number).or_insert(0) -= 1; //~
        self.box_of.write().unwrap().remove(&file); //~
    }

    pub fn put_in(&self, file: u32, number: u8) {
        let mut box_of = self.box_of.write().unwrap();
        let mut filled = self.filled.write().unwrap();
        if let Some(before) = box_of.insert(file, number) { //~
            *filled.entry(before).or_insert(1) -= 1;
        }
        *filled.entry(number).or_insert(0) += 1;
    }
}

//! What is looked at again is not relied on as it was seen first.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
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

/// Whoever is listed is stopped if nobody else has; who comes meanwhile has a number of its own, which is in no list.
#[derive(Default)]
pub struct Workers {
    running: Mutex<HashMap<u64, std::sync::mpsc::Sender<()>>>,
    next: AtomicU64,
}

impl Workers {
    pub fn stop_all(&self) -> usize {
        let mut stopped = 0;
        let all: Vec<u64> = self.running.lock().unwrap().keys().copied().collect();
        for number in all {
            if let Some(stop) = self.running.lock().unwrap().remove(&number) {
                stopped += usize::from(stop.send(()).is_ok());
            }
        }
        stopped
    }

    pub fn start(&self, stop: std::sync::mpsc::Sender<()>) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.running.lock().unwrap().insert(number, stop);
        number
    }

    pub fn stop(&self, number: u64) {
        self.running.lock().unwrap().remove(&number);
    }
}

/// The same, but the caller says which number it is: a worker that has just come is stopped as the old one.
#[derive(Default)]
pub struct Named {
    running: Mutex<HashMap<u64, u64>>,
}

impl Named {
    pub fn stop_late(&self, now: u64) {
        let late: Vec<u64> =
            self.running.lock().unwrap().iter().filter(|(_, until)| **until < now).map(|(name, _)| *name).collect(); //~
        for name in late {
            self.running.lock().unwrap().remove(&name); //~
        }
    }

    pub fn start(&self, name: u64, until: u64) {
        self.running.lock().unwrap().insert(name, until); //~
    }

    pub fn stop(&self, name: u64) {
        self.running.lock().unwrap().remove(&name);
    }
}

/// Two who come at once both count a room that is made once; that somebody closes it in between does no harm, so it is not shown.
#[derive(Default)]
pub struct Rooms {
    open: RwLock<HashMap<u32, u64>>,
    opened: AtomicU64,
}

impl Rooms {
    pub fn enter(&self, room: u32) {
        if !self.open.read().unwrap().contains_key(&room) { //~
            self.opened.fetch_add(1, Ordering::Relaxed);
            self.open.write().unwrap().insert(room, 0); //~
        }
    }

    pub fn close(&self, room: u32) {
        self.open.write().unwrap().remove(&room);
    }

    pub fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }
}

/// What a function of its own has looked up is asked for again under the lock that something is put in under.
#[derive(Default)]
pub struct Lockers {
    keys: RwLock<HashMap<u32, std::sync::Arc<u64>>>,
    cut: AtomicU64,
}

impl Lockers {
    fn find(&self, locker: u32) -> Option<std::sync::Arc<u64>> {
        self.keys.read().unwrap().get(&locker).cloned()
    }

    pub fn key(&self, locker: u32) -> std::sync::Arc<u64> {
        if let Some(key) = self.find(locker) {
            return key;
        }
        let mut keys = self.keys.write().unwrap();
        if let Some(key) = keys.get(&locker) {
            return key.clone();
        }
        self.cut.fetch_add(1, Ordering::Relaxed);
        let key = std::sync::Arc::new(u64::from(locker));
        keys.insert(locker, key.clone());
        key
    }

    pub fn lose(&self, locker: u32) {
        self.keys.write().unwrap().remove(&locker);
    }
}

/// It is asked for again, but put in whatever is there.
#[derive(Default)]
pub struct Safes {
    keys: RwLock<HashMap<u32, std::sync::Arc<u64>>>,
    cut: AtomicU64,
}

impl Safes {
    fn find(&self, safe: u32) -> Option<std::sync::Arc<u64>> {
        self.keys.read().unwrap().get(&safe).cloned() //~
    }

    pub fn key(&self, safe: u32) -> std::sync::Arc<u64> {
        if let Some(key) = self.find(safe) {
            return key;
        }
        let mut keys = self.keys.write().unwrap();
        if keys.get(&safe).is_none() {
            self.cut.fetch_add(1, Ordering::Relaxed);
        }
        let key = std::sync::Arc::new(u64::from(safe));
        keys.insert(safe, key.clone()); //~
        key
    }

    pub fn lose(&self, safe: u32) {
        self.keys.write().unwrap().remove(&safe);
    }
}

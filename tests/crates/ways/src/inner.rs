//! Locks within what a lock guards, and one lock taken before the last one is given back.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

/// To lock an element is not to lock the shelf once more.
#[derive(Default)]
pub struct Boxes {
    all: RwLock<Vec<Mutex<u64>>>,
    named: Mutex<HashMap<String, RwLock<u64>>>,
}

impl Boxes {
    pub fn clear_if_empty(&self) {
        let all = self.all.read().unwrap();
        let first = *all[0].lock().unwrap(); //~
        drop(all);
        if first == 0 {
            self.all.write().unwrap().clear(); //~
        }
    }

    pub fn clear_at_once(&self) {
        let mut all = self.all.write().unwrap();
        let first = *all[0].lock().unwrap();
        if first == 0 {
            all.clear();
        }
    }

    pub fn fill(&self, at: usize) {
        let all = self.all.read().unwrap();
        *all[at].lock().unwrap() += 1; //~
    }

    pub fn bump(&self, name: &str) {
        let named = self.named.lock().unwrap();
        let Some(count) = named.get(name) else { return };
        let before = *count.read().unwrap();
        *count.write().unwrap() = before + 1;
    }

    pub fn bump_apart(&self, name: &str) {
        let before = match self.named.lock().unwrap().get(name) {
            Some(count) => *count.read().unwrap(), //~
            None => return,
        };
        if let Some(count) = self.named.lock().unwrap().get(name) {
            *count.write().unwrap() = before + 1; //~
        }
    }
}

/// What is looked at and changed under the guard of one element is one piece, whoever else has the shelf to read.
pub struct Shelves {
    boards: parking_lot::RwLock<Vec<parking_lot::Mutex<Option<u64>>>>,
}

impl Shelves {
    pub fn new(count: usize) -> Self {
        Shelves { boards: parking_lot::RwLock::new((0..count).map(|_| parking_lot::Mutex::new(None)).collect()) }
    }

    pub fn put(&self, at: usize, what: u64) -> Option<u64> {
        let boards = self.boards.read();
        let mut board = boards[at].lock();
        std::mem::replace(&mut *board, Some(what))
    }

    pub fn take(&self, at: usize) -> Option<u64> {
        let boards = self.boards.read();
        let mut board = boards[at].lock();
        if board.is_some() { board.take() } else { None }
    }

    pub fn clear(&self, count: usize) {
        *self.boards.write() = (0..count).map(|_| parking_lot::Mutex::new(None)).collect();
    }
}

/// The guard of the element is taken twice.
pub struct Racks {
    boards: parking_lot::RwLock<Vec<parking_lot::Mutex<Option<u64>>>>,
}

impl Racks {
    pub fn new(count: usize) -> Self {
        Racks { boards: parking_lot::RwLock::new((0..count).map(|_| parking_lot::Mutex::new(None)).collect()) }
    }

    pub fn add(&self, at: usize, what: u64) {
        let boards = self.boards.read();
        let before = boards[at].lock().unwrap_or(0); //~
        *boards[at].lock() = Some(before + what); //~
    }
}

/// Numbers in a map are counted under the guard that all is read under; who replaces all of it has it alone.
#[derive(Default)]
pub struct Editions {
    all: RwLock<Edition>,
}

#[derive(Default)]
pub struct Edition {
    numbers: Vec<u64>,
    readers: HashMap<u64, AtomicU64>,
}

impl Edition {
    fn next(&mut self, number: u64) {
        let (mut numbers, mut readers) = (std::mem::take(&mut self.numbers), std::mem::take(&mut self.readers));
        numbers.push(number);
        readers.retain(|_, count| *count.get_mut() > 0);
        readers.entry(number).or_default();
        *self = Edition { numbers, readers };
    }
}

impl Editions {
    pub fn next(&self, number: u64) {
        self.all.write().unwrap().next(number);
    }

    pub fn begin(&self) -> Option<u64> {
        let all = self.all.read().unwrap();
        let number = *all.numbers.last()?;
        all.readers.get(&number)?.fetch_add(1, SeqCst);
        Some(number)
    }

    pub fn end(&self, number: u64) {
        if let Some(readers) = self.all.read().unwrap().readers.get(&number) {
            readers.fetch_sub(1, SeqCst);
        }
    }
}

/// In between, who replaces it may find that nobody reads it.
#[derive(Default)]
pub struct Prints {
    all: RwLock<Print>,
}

#[derive(Default)]
pub struct Print {
    numbers: Vec<u64>,
    readers: HashMap<u64, AtomicU64>,
}

impl Prints {
    pub fn next(&self, number: u64) {
        let mut all = self.all.write().unwrap();
        let (mut numbers, mut readers) = (std::mem::take(&mut all.numbers), std::mem::take(&mut all.readers)); //~
        numbers.push(number);
        readers.retain(|_, count| *count.get_mut() > 0);
        readers.entry(number).or_default();
        *all = Print { numbers, readers };
    }

    pub fn begin(&self) -> Option<u64> {
        let number = *self.all.read().unwrap().numbers.last()?; //~
        let all = self.all.read().unwrap();
        all.readers.get(&number)?.fetch_add(1, SeqCst); //~
        Some(number)
    }
}

/// What is handed from lock to lock is one piece; what comes behind it is none.
#[derive(Default)]
pub struct Chain {
    first: Mutex<u64>,
    second: Mutex<u64>,
    one: Mutex<u64>,
    other: Mutex<u64>,
}

impl Chain {
    pub fn pass(&self) {
        let mut first = self.first.lock().unwrap();
        *first += *first / 2;
        let mut second = self.second.lock().unwrap();
        drop(first);
        *second += *second / 2;
        drop(second);
        let one = *self.one.lock().unwrap(); //~
        *self.one.lock().unwrap() = one / 2; //~
        let other = *self.other.lock().unwrap(); //~
        *self.other.lock().unwrap() = other / 2; //~
    }
}

//! Who has looked at what an entry is learns nothing of that by finding that it is there; who has only looked whether it is there does.

use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

/// A loan that is over is ended, though it was prolonged meanwhile: that it is still there does not say that it is over.
#[derive(Default)]
pub struct Loans {
    until: Mutex<HashMap<u32, u64>>,
}

impl Loans {
    pub fn end(&self, book: u32, today: u64) {
        if self.until.lock().unwrap().get(&book).is_some_and(|until| *until < today) { //~
            let mut until = self.until.lock().unwrap();
            if until.contains_key(&book) { //~
                until.remove(&book);
            }
        }
    }

    pub fn prolong(&self, book: u32, until: u64) {
        self.until.lock().unwrap().insert(book, until); //~
    }
}

/// The same day is asked for again.
#[derive(Default)]
pub struct Rents {
    until: Mutex<HashMap<u32, u64>>,
}

impl Rents {
    pub fn end(&self, flat: u32, today: u64) {
        if self.until.lock().unwrap().get(&flat).is_some_and(|until| *until < today) {
            let mut until = self.until.lock().unwrap();
            if until.get(&flat).is_some_and(|until| *until < today) {
                until.remove(&flat);
            }
        }
    }

    pub fn prolong(&self, flat: u32, until: u64) {
        self.until.lock().unwrap().insert(flat, until);
    }
}

/// A line is added as the number that it was to be, though another one came first.
#[derive(Default)]
pub struct Journal {
    lines: RwLock<HashMap<u32, Vec<String>>>,
}

impl Journal {
    pub fn add(&self, page: u32, number: usize, line: String) -> bool {
        let known = self.lines.read().unwrap().get(&page).map_or(0, Vec::len); //~
        if known != number {
            return false;
        }
        self.lines.write().unwrap().entry(page).or_default().push(line); //~
        true
    }
}

/// Made once, whoever comes first: only whether it is there was asked before.
#[derive(Default)]
pub struct Pages {
    lines: RwLock<HashMap<u32, Vec<String>>>,
}

impl Pages {
    pub fn first(&self, page: u32) -> Option<String> {
        if let Some(lines) = self.lines.read().unwrap().get(&page) {
            return lines.first().cloned();
        }
        let mut lines = self.lines.write().unwrap();
        let lines = lines.entry(page).or_insert_with(|| vec![format!("page {page}")]);
        lines.first().cloned()
    }

    pub fn turn(&self, page: u32) {
        if !self.lines.read().unwrap().contains_key(&page) {
            return;
        }
        if let Some(lines) = self.lines.write().unwrap().get_mut(&page) {
            lines.clear();
        }
    }
}

/// Looked for only to spare the other lock: what is not there is not taken out either way.
#[derive(Default)]
pub struct Shelf {
    books: RwLock<HashMap<u32, String>>,
}

impl Shelf {
    pub fn drop_out(&self, book: u32) {
        if self.books.read().unwrap().contains_key(&book) {
            self.books.write().unwrap().remove(&book);
        }
    }

    pub fn put(&self, book: u32, title: String) {
        self.books.write().unwrap().insert(book, title);
    }
}

/// The same, but who takes it out is counted.
#[derive(Default)]
pub struct Counter {
    books: RwLock<HashMap<u32, String>>,
    gone: Mutex<u32>,
}

impl Counter {
    pub fn drop_out(&self, book: u32) {
        if self.books.read().unwrap().contains_key(&book) { //~
            self.books.write().unwrap().remove(&book); //~
            *self.gone.lock().unwrap() += 1;
        }
    }

    pub fn put(&self, book: u32, title: String) {
        self.books.write().unwrap().insert(book, title); //~
    }

    pub fn gone(&self) -> u32 {
        *self.gone.lock().unwrap()
    }
}

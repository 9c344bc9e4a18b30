//! A look before the lock that only says whether it is worth while: what is done behind it works on what is there by then.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

/// Takes what is there, if anything, and notes how many are left.
#[derive(Default)]
pub struct Tray {
    letters: Mutex<VecDeque<u32>>,
    filled: AtomicUsize,
}

impl Tray {
    pub fn put(&self, letter: u32) {
        let mut letters = self.letters.lock().unwrap();
        letters.push_back(letter);
        self.filled.store(letters.len(), SeqCst);
    }

    pub fn take(&self) -> Option<u32> {
        if self.filled.load(SeqCst) == 0 {
            return None;
        }
        let mut letters = self.letters.lock().unwrap();
        let letter = letters.pop_front();
        self.filled.store(letters.len(), SeqCst);
        letter
    }
}

/// What is left is worked out from the look before the lock.
#[derive(Default)]
pub struct Guessed {
    letters: Mutex<VecDeque<u32>>,
    filled: AtomicUsize,
}

impl Guessed {
    pub fn put(&self, letter: u32) {
        let mut letters = self.letters.lock().unwrap();
        letters.push_back(letter);
        self.filled.store(letters.len(), SeqCst);
    }

    pub fn take(&self) -> Option<u32> {
        let filled = self.filled.load(SeqCst); //~
        if filled == 0 {
            return None;
        }
        let letter = self.letters.lock().unwrap().pop_front();
        self.filled.store(filled - 1, SeqCst); //~
        letter
    }
}

/// Who takes insists that there is something.
#[derive(Default)]
pub struct Sure {
    letters: Mutex<VecDeque<u32>>,
    filled: AtomicUsize,
}

impl Sure {
    pub fn put(&self, letter: u32) {
        let mut letters = self.letters.lock().unwrap();
        letters.push_back(letter);
        self.filled.store(letters.len(), SeqCst);
    }

    pub fn take(&self) -> Option<u32> {
        if self.filled.load(SeqCst) == 0 { //~
            return None;
        }
        let mut letters = self.letters.lock().unwrap();
        let letter = letters.pop_front().unwrap(); //~
        self.filled.store(letters.len(), SeqCst);
        Some(letter)
    }
}

/// One less is counted only where something was taken.
#[derive(Default)]
pub struct Counted {
    letters: Mutex<VecDeque<u32>>,
    filled: AtomicUsize,
}

impl Counted {
    pub fn put(&self, letter: u32) {
        let mut letters = self.letters.lock().unwrap();
        letters.push_back(letter);
        self.filled.fetch_add(1, SeqCst);
    }

    pub fn take(&self) -> Option<u32> {
        if self.filled.load(SeqCst) == 0 {
            return None;
        }
        let mut letters = self.letters.lock().unwrap();
        let letter = letters.pop_front()?;
        self.filled.fetch_sub(1, SeqCst);
        Some(letter)
    }
}

/// A mark that there is something to write out, and what is written out is what there is by then.
#[derive(Default)]
pub struct Table {
    rows: RwLock<HashMap<u32, u64>>,
    dirty: AtomicBool,
    saved: Mutex<Vec<u64>>,
}

impl Table {
    pub fn set(&self, key: u32, value: u64) {
        let mut rows = self.rows.write().unwrap();
        rows.insert(key, value);
        self.dirty.store(true, SeqCst);
    }

    pub fn flush(&self) {
        if !self.dirty.load(SeqCst) {
            return;
        }
        let rows = self.rows.write().unwrap();
        self.dirty.store(false, SeqCst);
        *self.saved.lock().unwrap() = rows.values().copied().collect();
    }
}

/// What is put in behind the look is put in twice.
#[derive(Default)]
pub struct Greeted {
    lines: Mutex<Vec<String>>,
    greeted: AtomicBool,
}

impl Greeted {
    pub fn greet(&self, who: &str) {
        if self.greeted.load(SeqCst) { //~
            return;
        }
        let mut lines = self.lines.lock().unwrap();
        lines.push(who.to_owned());
        self.greeted.store(true, SeqCst); //~
    }

    pub fn lines(&self) -> usize {
        self.lines.lock().unwrap().len()
    }
}

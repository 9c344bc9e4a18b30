//! A look of which others only confirm what it has found.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Who asks for a new page confirms what the printer has seen.
#[derive(Default)]
pub struct Printer {
    wanted: AtomicBool,
    pages: Mutex<Vec<String>>,
    printed: Mutex<u32>,
}

impl Printer {
    pub fn want(&self, page: &str) {
        self.pages.lock().unwrap().push(page.to_owned());
        self.wanted.store(true, SeqCst);
    }

    /// There is one printer.
    pub fn print(&mut self) {
        if self.wanted.load(SeqCst) {
            self.wanted.store(false, SeqCst);
            let count = self.pages.lock().unwrap().len() as u32;
            *self.printed.lock().unwrap() = count;
        }
    }
}

/// Who calls it off changes what was seen; and it may be called off and on.
#[derive(Default)]
pub struct Called {
    on: Mutex<bool>,
    guests: Mutex<Vec<u32>>,
}

impl Called {
    pub fn call_off(&self) {
        *self.on.lock().unwrap() = false; //~
        self.guests.lock().unwrap().clear(); //~
    }

    pub fn call_on(&self) {
        *self.on.lock().unwrap() = true;
    }

    pub fn invite(&self, guest: u32) {
        if *self.on.lock().unwrap() { //~
            self.guests.lock().unwrap().push(guest); //~
        }
    }
}

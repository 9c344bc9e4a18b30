//! What one round of a loop notes, and a later one, or what comes behind the loop, goes by.

use std::collections::HashMap;
use std::sync::Mutex;

/// How many read each page.
#[derive(Default)]
pub struct Library {
    readers: Mutex<HashMap<u32, usize>>,
}

impl Library {
    fn open(&self, page: u32) {
        *self.readers.lock().unwrap().entry(page).or_insert(0) += 1; //~
    }

    fn close(&self, page: u32) -> usize {
        let mut readers = self.readers.lock().unwrap();
        let count = readers.entry(page).or_insert(1);
        *count -= 1;
        *count //~
    }

    /// The last one to close a page forgets it, though another one may have opened it since.
    pub fn read(&self, mut next: impl FnMut() -> Option<u32>) {
        let mut opened: Option<u32> = None;
        loop {
            match next() {
                Some(page) => {
                    if opened.is_none() {
                        self.open(page);
                        opened = Some(page);
                    }
                }
                None => {
                    if let Some(page) = opened.as_ref() {
                        if self.close(*page) == 0 {
                            self.readers.lock().unwrap().remove(page); //~
                        }
                    }
                    break;
                }
            }
        }
    }
}

/// As `Library`; the last one to close a page forgets it under the same lock.
#[derive(Default)]
pub struct Archive {
    readers: Mutex<HashMap<u32, usize>>,
}

impl Archive {
    pub fn read(&self, mut next: impl FnMut() -> Option<u32>) {
        let mut opened: Option<u32> = None;
        loop {
            match next() {
                Some(page) => {
                    if opened.is_none() {
                        *self.readers.lock().unwrap().entry(page).or_insert(0) += 1;
                        opened = Some(page);
                    }
                }
                None => {
                    if let Some(page) = opened.as_ref() {
                        let mut readers = self.readers.lock().unwrap();
                        let count = readers.entry(*page).or_insert(1);
                        *count -= 1;
                        if *count == 0 {
                            readers.remove(page);
                        }
                    }
                    break;
                }
            }
        }
    }
}

/// Seats by number.
#[derive(Default)]
pub struct Hall {
    seats: Mutex<Vec<bool>>,
}

impl Hall {
    fn is_taken(&self, seat: usize) -> bool {
        self.seats.lock().unwrap().get(seat).copied().unwrap_or(true) //~
    }

    /// Takes a seat that was free when it was looked at.
    pub fn sit(&self) -> Option<usize> {
        let mut free = None;
        for seat in 0..20 {
            if !self.is_taken(seat) {
                free = Some(seat);
                break;
            }
        }
        if free.is_some() {
            let seat = free?;
            self.seats.lock().unwrap()[seat] = true; //~
        }
        free
    }
}

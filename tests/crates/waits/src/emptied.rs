//! What only says that something has happened may be said twice.

use std::collections::VecDeque;
use std::sync::Mutex;

use tokio::sync::watch;

/// Who waits looks again.
#[derive(Debug)]
pub struct Counter {
    plates: Mutex<VecDeque<u64>>,
    empty: watch::Sender<()>,
}

impl Default for Counter {
    fn default() -> Self {
        Counter { plates: Mutex::default(), empty: watch::channel(()).0 }
    }
}

impl Counter {
    pub fn serve(&self, plate: u64) {
        self.plates.lock().unwrap().push_back(plate);
    }

    pub fn take(&self) -> Option<u64> {
        let mut plates = self.plates.lock().unwrap();
        let plate = plates.pop_front();
        let empty = plates.is_empty();
        drop(plates);
        if empty {
            self.empty.send_replace(());
        }
        plate
    }
}

/// How many there are is said after it was looked at: the older number may come last.
#[derive(Debug)]
pub struct Shelf {
    plates: Mutex<VecDeque<u64>>,
    full: watch::Sender<bool>,
}

impl Default for Shelf {
    fn default() -> Self {
        Shelf { plates: Mutex::default(), full: watch::channel(false).0 }
    }
}

impl Shelf {
    pub fn put(&self, plate: u64) {
        let mut plates = self.plates.lock().unwrap();
        plates.push_back(plate);
        let full = plates.len() > 9; //~
        drop(plates);
        self.full.send_replace(full); //~
    }

    pub fn take(&self) -> Option<u64> {
        let mut plates = self.plates.lock().unwrap();
        let plate = plates.pop_front(); //~
        let full = plates.len() > 9; //~
        drop(plates);
        self.full.send_replace(full); //~
        plate
    }

    pub fn is_full(&self) -> bool {
        *self.full.borrow()
    }
}

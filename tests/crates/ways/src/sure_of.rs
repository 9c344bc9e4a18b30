//! Numbers in a log: who has just put something in makes sure that there is something, which is so whoever else has come before.

use std::collections::BTreeSet;
use std::sync::Mutex;

#[derive(Default)]
pub struct Pages {
    log: Mutex<Vec<u64>>,
    free: Mutex<BTreeSet<u64>>,
}

impl Pages {
    fn note(&self, page: u64) -> usize {
        let mut log = self.log.lock().unwrap();
        log.push(page);
        log.len() - 1
    }

    pub fn reuse(&self) -> bool {
        let taken = self.free.lock().unwrap().pop_last();
        if let Some(page) = taken {
            self.note(page);
            return true;
        }
        false
    }

    pub fn free(&self, page: u64) {
        self.note(page);
        self.free.lock().unwrap().insert(page);
    }
}

#[derive(Default)]
pub struct Numbers {
    log: Mutex<Vec<u64>>,
}

impl Numbers {
    fn next(&self) -> u64 {
        self.log.lock().unwrap().last().map_or(1, |last| last + 1) //~
    }

    /// Wrong: two callers may get the same number.
    pub fn draw(&self) -> u64 {
        let number = self.next();
        self.log.lock().unwrap().push(number); //~
        number
    }
}

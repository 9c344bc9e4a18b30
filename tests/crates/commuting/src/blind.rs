//! Numbers that some change by compare-exchange, and others add to because of an earlier look.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A line of so many at most.
#[derive(Default)]
pub struct Line {
    waiting: Mutex<VecDeque<u32>>,
    length: AtomicUsize,
}

impl Line {
    /// Two find the last place, and both take it.
    pub fn join(&self, guest: u32) -> bool {
        if self.length.load(SeqCst) >= 8 { //~
            return false;
        }
        self.length.fetch_add(1, SeqCst); //~
        self.waiting.lock().unwrap().push_back(guest);
        true
    }

    /// One less, if there is one.
    pub fn serve(&self) -> Option<u32> {
        let guest = self.waiting.lock().unwrap().pop_front()?;
        let length = self.length.load(SeqCst);
        let _ = self.length.compare_exchange(length, length - 1, SeqCst, SeqCst);
        Some(guest)
    }
}

/// Seats of which who sits down learns how many were taken, or looks once more.
#[derive(Default)]
pub struct Seats {
    taken: AtomicUsize,
    shut: AtomicUsize,
}

const SHUT: usize = 1 << 20;

impl Seats {
    /// It is told by the addition itself.
    pub fn sit(&self) -> bool {
        if self.taken.load(SeqCst) >= 8 {
            return false;
        }
        if self.taken.fetch_add(1, SeqCst) >= 8 {
            self.taken.fetch_sub(1, SeqCst);
            return false;
        }
        true
    }

    /// The last one, if it is still there.
    pub fn keep(&self) -> bool {
        self.taken.compare_exchange(7, 8, SeqCst, SeqCst).is_ok()
    }

    /// It looks again, and takes back what it did.
    pub fn look(&self) -> bool {
        if self.shut.load(SeqCst) >= SHUT {
            return false;
        }
        self.shut.fetch_add(1, SeqCst);
        if self.shut.load(SeqCst) >= SHUT {
            self.shut.fetch_sub(1, SeqCst);
            return false;
        }
        true
    }

    /// Nobody looks from now on.
    pub fn close(&self) -> bool {
        self.shut.compare_exchange(0, SHUT, SeqCst, SeqCst).is_ok()
    }
}

//! What others leave there in between is what is left there in the end: as if they had come later.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Breaker {
    failures: AtomicU32,
    open: AtomicBool,
    failing: Mutex<()>,
}

impl Breaker {
    pub fn failed(&self) {
        let _one_at_a_time = self.failing.lock().unwrap();
        if self.failures.fetch_add(1, SeqCst) + 1 >= 3 {
            self.open.store(true, SeqCst);
            self.failures.store(0, SeqCst);
        }
    }

    pub fn succeeded(&self) {
        self.failures.store(0, SeqCst);
    }

    pub fn is_open(&self) -> bool {
        self.open.load(SeqCst)
    }
}

/// Others count in between: theirs is lost.
#[derive(Default)]
pub struct Meter {
    failures: AtomicU32,
    open: AtomicBool,
}

impl Meter {
    pub fn failed(&self) {
        if self.failures.fetch_add(1, SeqCst) + 1 >= 3 { //~
            self.open.store(true, SeqCst);
            self.failures.store(0, SeqCst); //~
        }
    }

    pub fn is_open(&self) -> bool {
        self.open.load(SeqCst)
    }
}

/// Others leave something else.
#[derive(Default)]
pub struct Dial {
    level: AtomicU32,
    moving: Mutex<()>,
}

impl Dial {
    pub fn rise(&self) {
        let _one_at_a_time = self.moving.lock().unwrap();
        if self.level.fetch_add(1, SeqCst) + 1 >= 3 { //~
            self.level.store(0, SeqCst); //~
        }
    }

    pub fn start(&self) {
        self.level.store(1, SeqCst);
    }

    pub fn level(&self) -> u32 {
        self.level.load(SeqCst)
    }
}

//! Loops that look again and again until somebody else has done something, and go by that afterwards.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// At most four at once.
#[derive(Default)]
pub struct Limit {
    active: AtomicU64,
}

impl Limit {
    pub fn enter(&self) {
        while self.active.load(Ordering::SeqCst) >= 4 { //~
            std::thread::yield_now();
        }
        self.active.fetch_add(1, Ordering::SeqCst); //~
    }

    pub fn leave(&self) {
        self.active.fetch_sub(1, Ordering::SeqCst);
    }
}

/// One after the other.
#[derive(Default)]
pub struct Turns {
    busy: tokio::sync::Mutex<bool>,
    taken: tokio::sync::Mutex<bool>,
}

impl Turns {
    pub async fn take(&self) {
        while *self.busy.lock().await { //~
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        *self.busy.lock().await = true; //~
    }

    pub async fn leave(&self) {
        *self.busy.lock().await = false; //~
    }

    /// Under the lock of the look.
    pub async fn take_at_once(&self) {
        loop {
            let mut taken = self.taken.lock().await;
            if !*taken {
                *taken = true;
                break;
            }
            drop(taken);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub async fn leave_at_once(&self) {
        *self.taken.lock().await = false;
    }
}

/// What is waited for stays: the flag is only ever raised.
#[derive(Default)]
pub struct Answer {
    there: AtomicBool,
    value: Mutex<Option<u64>>,
}

impl Answer {
    pub fn wait(&self) -> Option<u64> {
        while !self.there.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        self.value.lock().unwrap().take()
    }

    pub fn give(&self, value: u64) {
        *self.value.lock().unwrap() = Some(value);
        self.there.store(true, Ordering::SeqCst);
    }
}

/// As many as there are to be: the number only grows.
#[derive(Default)]
pub struct Workers {
    done: AtomicU64,
    sum: Mutex<u64>,
}

impl Workers {
    pub fn work(&self, amount: u64) {
        *self.sum.lock().unwrap() += amount;
        self.done.fetch_add(1, Ordering::SeqCst);
    }

    pub fn finish(&self) {
        while self.done.load(Ordering::SeqCst) < 4 {
            std::thread::sleep(Duration::from_millis(1));
        }
        *self.sum.lock().unwrap() += 1;
    }
}

/// A loop that comes to its end by itself is no wait: what comes after it does not rely on what it saw.
#[derive(Default)]
pub struct Levels {
    levels: [AtomicU64; 8],
    rounds: AtomicU64,
}

impl Levels {
    pub fn raise(&self, at: usize) {
        self.levels[at].fetch_add(2, Ordering::SeqCst);
    }

    pub fn lower(&self, at: usize) {
        self.levels[at].fetch_sub(1, Ordering::SeqCst);
    }

    pub fn round(&self) {
        let mut at = 0;
        while at < 8 && self.levels[at].load(Ordering::SeqCst) > 0 {
            at += 1;
        }
        self.rounds.store(0, Ordering::SeqCst);
    }
}

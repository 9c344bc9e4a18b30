//! A result holds one of two things: what the one holds is none of the other's.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// What a caller may use up.
pub struct Granted {
    left: Arc<Mutex<u64>>,
}

/// Why a caller gets nothing, and what it would be at most, which nobody changes.
pub struct Refused {
    most: Arc<Mutex<u64>>,
}

pub struct Quota {
    left: Arc<Mutex<u64>>,
    most: Arc<Mutex<u64>>,
    closed: bool,
}

impl Quota {
    fn ask(&self) -> Result<Granted, Refused> {
        if self.closed {
            Err(Refused { most: Arc::clone(&self.most) })
        } else {
            Ok(Granted { left: Arc::clone(&self.left) })
        }
    }

    /// Goes by what nobody changes.
    pub fn fill(&self) {
        if let Err(refused) = self.ask() {
            let most = *refused.most.lock().unwrap();
            *self.left.lock().unwrap() = most;
        }
    }

    /// Goes by what others change.
    pub fn double(&self) {
        if let Ok(granted) = self.ask() {
            let left = *granted.left.lock().unwrap(); //~
            *self.left.lock().unwrap() = 2 * left; //~
        }
    }
}

/// What a worker keeps to itself makes its whole pool one of a single thread.
pub struct Worker {
    runs: Cell<bool>,
}

pub struct Pool {
    next: AtomicUsize,
    workers: Vec<Worker>,
}

impl Pool {
    pub fn next(&self) -> usize {
        let next = self.next.load(SeqCst);
        self.next.store(if next >= 7 { 0 } else { next + 1 }, SeqCst);
        next
    }

    pub fn start(&self, at: usize) {
        self.workers[at].runs.set(true);
    }
}

/// A lock makes up for that.
pub struct LockedPool {
    next: AtomicUsize,
    workers: Mutex<Vec<Worker>>,
}

impl LockedPool {
    pub fn next(&self) -> usize {
        let next = self.next.load(SeqCst); //~
        self.next.store(if next >= 7 { 0 } else { next + 1 }, SeqCst); //~
        next
    }

    pub fn start(&self, at: usize) {
        self.workers.lock().unwrap()[at].runs.set(true);
    }
}

/// What a stranger keeps for others.
pub struct Line {
    sent: usize,
    waiting: Vec<u8>,
    total: Arc<AtomicUsize>,
}

/// Strangers' pools.
pub trait Lends {
    fn exclusively<R>(&self, with: impl FnOnce(&mut Line) -> R) -> R;
}

/// What is lent exclusively, nobody else has.
pub fn send<P: Lends>(pool: &P, what: &[u8]) -> usize {
    pool.exclusively(|line| {
        let before = line.waiting.len();
        line.waiting.extend_from_slice(what);
        line.sent += line.waiting.len() - before;
        line.sent
    })
}

/// What that shares with others, they change.
pub fn count<P: Lends>(pool: &P) {
    pool.exclusively(|line| {
        let total = line.total.load(SeqCst); //~
        line.total.store(total + 1, SeqCst); //~
    })
}

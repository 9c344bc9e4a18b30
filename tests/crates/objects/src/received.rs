//! `self`, `&mut self` and pinned receivers: the receiver is the caller's own, what it borrows or has a part in is not.
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

#[derive(Default)]
pub struct Ledger {
    lines: Mutex<Vec<i64>>,
    fine: Mutex<Vec<i64>>,
}

pub struct Entry<'a> {
    ledger: &'a Ledger,
    amount: i64,
}

impl Ledger {
    pub fn entry(&self, amount: i64) -> Entry<'_> {
        Entry { ledger: self, amount }
    }
}

impl Entry<'_> {
    pub fn post(self) {
        let last = self.ledger.lines.lock().unwrap().last().copied(); //~
        self.ledger.lines.lock().unwrap().insert(0, last.unwrap_or(0) + self.amount); //~
    }

    /// Its own amount is nobody else's.
    pub fn add(&mut self, amount: i64) {
        if self.amount < 100 {
            self.amount += amount;
        }
        let mut lines = self.ledger.fine.lock().unwrap();
        let last = lines.last().copied();
        lines.insert(0, last.unwrap_or(0) + self.amount);
    }
}

/// Clones have a part in one counter.
#[derive(Clone, Default)]
pub struct Meter {
    total: Arc<AtomicU64>,
    fine: Arc<AtomicU64>,
}

impl Meter {
    pub fn scale(&mut self, by: u64) {
        let seen = self.total.load(Ordering::SeqCst); //~
        self.total.store(seen * by, Ordering::SeqCst); //~
    }

    pub fn add(&mut self, by: u64) {
        self.fine.fetch_add(by, Ordering::SeqCst);
    }
}

/// A future is polled on any thread.
pub struct Turn {
    queue: Arc<Mutex<Vec<u64>>>,
}

impl Turn {
    pub fn new(queue: &Arc<Mutex<Vec<u64>>>) -> Turn {
        Turn { queue: queue.clone() }
    }
}

impl Future for Turn {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let waiting = self.queue.lock().unwrap().len(); //~
        if waiting > 3 {
            return Poll::Pending;
        }
        self.queue.lock().unwrap().insert(0, waiting as u64); //~
        Poll::Ready(())
    }
}

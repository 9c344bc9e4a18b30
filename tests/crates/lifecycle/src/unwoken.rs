//! Conditions at which somebody waits, and whether anybody ever wakes who waits there.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use tokio::sync::Notify;

#[derive(Default)]
pub struct UnderWay {
    count: AtomicUsize,
    idle: Notify,
}

impl UnderWay {
    pub fn begin(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    /// Wrong: who is the last wakes nobody.
    pub fn end(&self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
    }

    pub async fn drained(&self) {
        loop {
            let idle = self.idle.notified(); //~ never-woken warn
            if self.count.load(Ordering::Acquire) == 0 {
                return;
            }
            idle.await;
        }
    }
}

#[derive(Default)]
pub struct Tickets {
    count: AtomicUsize,
    idle: Notify,
}

impl Tickets {
    pub fn begin(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    pub fn end(&self) {
        if self.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.idle.notify_waiters();
        }
    }

    pub async fn drained(&self) {
        loop {
            let idle = self.idle.notified();
            if self.count.load(Ordering::Acquire) == 0 {
                return;
            }
            idle.await;
        }
    }
}

#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Wrong, too.
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
    }

    pub fn pass(&self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.opened.wait(open).unwrap(); //~ never-woken warn
        }
    }
}

/// What waits at it beside something else goes on with that.
#[derive(Default)]
pub struct Pause {
    over: Notify,
}

impl Pause {
    pub async fn wait(&self) {
        let _ = tokio::time::timeout(std::time::Duration::from_secs(1), self.over.notified()).await;
    }
}

/// Others may be given it.
#[derive(Default)]
pub struct Lent {
    done: Notify,
}

impl Lent {
    pub fn condition(&self) -> &Notify {
        &self.done
    }

    pub async fn wait(&self) {
        self.done.notified().await;
    }
}

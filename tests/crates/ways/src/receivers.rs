//! What `self` is: a reference, a counted pointer, or a reference to one. It is one object all the same.

use std::sync::{Arc, Mutex, Weak};

/// Cups of a café.
#[derive(Default)]
pub struct Cups {
    clean: Mutex<u32>,
    served: Mutex<u32>,
    waste: Mutex<u32>,
}

impl Cups {
    pub fn serve(self: &Arc<Self>) {
        let clean = *self.clean.lock().unwrap(); //~
        if clean > 0 {
            *self.clean.lock().unwrap() = clean - 1; //~
        }
    }

    pub fn wash(&self) {
        *self.clean.lock().unwrap() += 1;
    }

    /// The room is asked for, and filled, by those who have the pointer in a list.
    pub fn count(all: &[Arc<Cups>]) -> u32 {
        all.iter().map(|cups| *cups.clean.lock().unwrap()).sum()
    }

    /// Looked at through the pointer; changed through the reference meanwhile.
    pub fn tip(self: Arc<Self>) {
        if *self.served.lock().unwrap() == 0 { //~
            *self.waste.lock().unwrap() = 1; //~
        }
    }

    pub fn tip_at_once(self: &Arc<Self>) {
        let served = self.served.lock().unwrap();
        if *served == 0 {
            *self.waste.lock().unwrap() = 1;
        }
    }

    pub fn open(&self) {
        let mut served = self.served.lock().unwrap();
        *self.waste.lock().unwrap() = 0; //~
        *served = 1; //~
    }
}

/// Guests wait for one at the bar.
#[derive(Default)]
pub struct Bar {
    guests: Mutex<u32>,
    left: tokio::sync::Notify,
}

impl Bar {
    pub fn enter(self: &Arc<Self>) {
        *self.guests.lock().unwrap() += 1; //~
        let bar = self.clone();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            *bar.guests.lock().unwrap() -= 1;
            bar.left.notify_waiters(); //~
        });
    }

    pub async fn empty(&self) {
        while *self.guests.lock().unwrap() > 0 { //~
            self.left.notified().await; //~
        }
    }

    /// It listens before it looks.
    pub async fn is_empty_at_last(&self) {
        loop {
            let left = self.left.notified();
            if *self.guests.lock().unwrap() == 0 {
                return;
            }
            left.await;
        }
    }
}

/// Who holds one of these holds a pointer of its own to the same.
pub struct Waiter {
    bar: Weak<Bar>,
}

impl Waiter {
    pub fn new(bar: &Arc<Bar>) -> Waiter {
        Waiter { bar: Arc::downgrade(bar) }
    }

    pub fn guests(&self) -> u32 {
        self.bar.upgrade().map_or(0, |bar| *bar.guests.lock().unwrap())
    }
}

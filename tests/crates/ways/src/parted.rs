//! Closures and futures that capture several fields of one variable, each for itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

/// A kiosk: what was sold, what was spoilt, and whether it is open.
#[derive(Clone, Default)]
pub struct Kiosk {
    sold: Arc<Mutex<u64>>,
    spoilt: Arc<Mutex<u64>>,
    visits: Arc<AtomicU64>,
    open: Arc<std::sync::atomic::AtomicBool>,
    closed: Arc<Notify>,
}

impl Kiosk {
    pub fn sell(&self) {
        let own = self.clone();
        std::thread::spawn(move || {
            *own.sold.lock().unwrap() += 1;
            let spoilt = *own.spoilt.lock().unwrap(); //~
            *own.spoilt.lock().unwrap() = spoilt + 1; //~
        });
    }

    pub fn visit(&self) {
        let own = self.clone();
        tokio::spawn(async move {
            *own.sold.lock().unwrap() += 1;
            let visits = own.visits.load(Ordering::SeqCst); //~
            own.visits.store(visits + 1, Ordering::SeqCst); //~
        });
    }

    pub fn visit_at_once(&self) {
        let own = self.clone();
        tokio::spawn(async move {
            *own.sold.lock().unwrap() += 1;
            own.visits.fetch_add(1, Ordering::SeqCst);
        });
    }

    pub fn close(&self) {
        let own = self.clone();
        tokio::spawn(async move {
            own.open.store(false, Ordering::SeqCst); //~
            own.closed.notify_waiters(); //~
        });
    }

    pub async fn wait(&self) {
        if self.open.load(Ordering::SeqCst) { //~
            self.closed.notified().await; //~
        }
    }
}

/// A till that lends two of its drawers to one closure.
pub struct Till {
    coins: Arc<Mutex<u64>>,
    notes: Arc<Mutex<u64>>,
}

impl Till {
    pub fn balance(&mut self) {
        let mut move_over = || {
            *self.coins.lock().unwrap() += 1;
            let notes = *self.notes.lock().unwrap(); //~
            *self.notes.lock().unwrap() = notes + 1; //~
        };
        move_over();
    }

    pub fn copies(&self) -> Till {
        Till { coins: self.coins.clone(), notes: self.notes.clone() }
    }
}

//! A branch in the body of a loop decides about the change in the same round, whatever later rounds do.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::mpsc::Receiver;

/// Seats are looked up and taken one after the other: each under two guards.
#[derive(Default)]
pub struct Seats {
    taken: Mutex<HashMap<u32, String>>,
}

impl Seats {
    pub fn take_all(&self, seats: Vec<u32>, name: &str) {
        for seat in seats {
            if self.taken.lock().unwrap().contains_key(&seat) { //~
                continue;
            }
            self.taken.lock().unwrap().insert(seat, name.to_owned()); //~
        }
    }

    pub fn leave(&self, seat: u32) {
        self.taken.lock().unwrap().remove(&seat);
    }
}

/// One guard for both in each round.
#[derive(Default)]
pub struct Desks {
    taken: Mutex<HashMap<u32, String>>,
}

impl Desks {
    pub fn take_all(&self, desks: Vec<u32>, name: &str) {
        for desk in desks {
            let mut taken = self.taken.lock().unwrap();
            if taken.contains_key(&desk) {
                continue;
            }
            taken.insert(desk, name.to_owned());
        }
    }

    pub fn leave(&self, desk: u32) {
        self.taken.lock().unwrap().remove(&desk);
    }
}

/// What comes in is counted while there is room.
#[derive(Default)]
pub struct Meter {
    count: Mutex<u32>,
}

impl Meter {
    pub fn run(&self, orders: &Receiver<u32>) {
        while let Ok(order) = orders.recv() {
            let room = *self.count.lock().unwrap() < 100; //~
            if room {
                *self.count.lock().unwrap() += order; //~
            }
        }
    }

    pub fn reset(&self) {
        *self.count.lock().unwrap() = 0; //~
    }
}

/// Looked at again under the guard of the change.
#[derive(Default)]
pub struct Gauge {
    count: Mutex<u32>,
}

impl Gauge {
    pub fn run(&self, orders: &Receiver<u32>) {
        while let Ok(order) = orders.recv() {
            if *self.count.lock().unwrap() >= 100 {
                continue;
            }
            let mut count = self.count.lock().unwrap();
            if *count < 100 {
                *count += order;
            }
        }
    }

    pub fn reset(&self) {
        *self.count.lock().unwrap() = 0;
    }
}

/// The task that is started only works off what others put there as well.
#[derive(Clone, Default)]
pub struct Backlog {
    open: std::sync::Arc<(Mutex<Vec<u32>>, std::sync::Condvar)>,
}

impl Backlog {
    pub fn begin(&self, first: u32) {
        self.open.0.lock().unwrap().push(first);
        let open = self.open.clone();
        std::thread::spawn(move || {
            let mut work = open.0.lock().unwrap();
            loop {
                while work.is_empty() {
                    work = open.1.wait(work).unwrap();
                }
                work.pop();
            }
        });
    }

    pub fn add(&self, more: u32) {
        self.open.0.lock().unwrap().push(more);
        self.open.1.notify_one();
    }
}

//! Who waits until there is something, and takes it under the lock that it has then, or gives that back before.

use std::sync::{Condvar, Mutex};

/// Two who have waited take one and the same apple: the lock is given back in between.
#[derive(Default)]
pub struct Tree {
    apples: Mutex<u32>,
    ripe: Condvar,
}

impl Tree {
    pub fn grow(&self) {
        *self.apples.lock().unwrap() += 1;
        self.ripe.notify_one();
    }

    pub fn pick(&self) {
        {
            let mut apples = self.apples.lock().unwrap();
            while *apples == 0 { //~
                apples = self.ripe.wait(apples).unwrap();
            }
        }
        *self.apples.lock().unwrap() -= 1; //~
    }
}

/// It is taken under the lock that was waited with.
#[derive(Default)]
pub struct Bush {
    berries: Mutex<u32>,
    ripe: Condvar,
}

impl Bush {
    pub fn grow(&self) {
        *self.berries.lock().unwrap() += 1;
        self.ripe.notify_one();
    }

    pub fn pick(&self) {
        let mut berries = self.berries.lock().unwrap();
        while *berries == 0 {
            berries = self.ripe.wait(berries).unwrap();
        }
        *berries -= 1;
    }
}

/// What was waited for stays: nobody closes what was opened.
#[derive(Default)]
pub struct Season {
    open: Mutex<bool>,
    opened: Condvar,
    visitors: Mutex<u32>,
}

impl Season {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    pub fn visit(&self) {
        {
            let mut open = self.open.lock().unwrap();
            while !*open {
                open = self.opened.wait(open).unwrap();
            }
        }
        *self.visitors.lock().unwrap() += 1;
    }
}

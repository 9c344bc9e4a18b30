//! Who waits until there is something gives the lock back and takes it under the next: two that waited take what is there once, and the count goes below 0.
use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Tokens {
    left: Mutex<u32>,
    changed: Condvar,
}

impl Tokens {
    pub fn add(&self) {
        *self.left.lock().unwrap() += 1;
        self.changed.notify_one();
    }
    pub fn take(&self) {
        {
            let mut left = self.left.lock().unwrap();
            while *left == 0 { //~
                left = self.changed.wait(left).unwrap();
            }
        }
        *self.left.lock().unwrap() -= 1; //~
    }
}

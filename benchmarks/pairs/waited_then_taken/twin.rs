//! Who waits until there is something takes it under the lock that it waited with.
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
        let mut left = self.left.lock().unwrap();
        while *left == 0 {
            left = self.changed.wait(left).unwrap();
        }
        *left -= 1;
    }
}

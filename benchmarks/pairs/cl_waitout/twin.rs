// waitout 0.1.1: all who wait are woken.
use std::sync::{Condvar, Mutex};

pub struct WaitGroup {
    zero: Condvar,
    count: Mutex<usize>,
}

impl WaitGroup {
    pub fn new(n: usize) -> WaitGroup {
        WaitGroup { zero: Condvar::new(), count: Mutex::new(n) }
    }

    pub fn add(&self, delta: usize) {
        let mut count = self.count.lock().unwrap();
        *count += delta;
        self.zero.notify_all();
    }

    pub fn done(&self) {
        let mut count = self.count.lock().unwrap();
        *count -= 1;
        self.zero.notify_all();
    }

    pub fn wait(&self) {
        let mut count = self.count.lock().unwrap();
        while *count > 0 {
            count = self.zero.wait(count).unwrap();
        }
    }
}

// waitout 0.1.0 (fixed in 0.1.1, issue 2): `done` wakes one of those who wait for zero; all others wait for ever, since nobody passes the
// wake-up on. (`notify_one` for a condition that stays true for everybody.)
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
        self.zero.notify_one();
    }

    pub fn done(&self) {
        let mut count = self.count.lock().unwrap();
        *count -= 1;
        self.zero.notify_one();
    }

    pub fn wait(&self) {
        let mut count = self.count.lock().unwrap();
        while *count > 0 {
            count = self.zero.wait(count).unwrap();
        }
    }
}

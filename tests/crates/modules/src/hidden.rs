//! What others find at the root.
use std::sync::Mutex;

#[derive(Default)]
pub struct Till {
    sum: Mutex<u64>,
}

impl Till {
    pub fn sum(&self) -> u64 {
        *self.sum.lock().unwrap() //~
    }

    pub fn set(&self, sum: u64) {
        *self.sum.lock().unwrap() = sum; //~
    }

    pub fn add(&self, sum: u64) {
        *self.sum.lock().unwrap() += sum;
    }
}

//! Methods of an own trait on types of libraries.

use std::sync::Mutex;

trait Book {
    fn book(self, into: &Mutex<u16>);
}

impl Book for Option<u16> {
    fn book(self, into: &Mutex<u16>) {
        if let Some(amount) = self {
            let old = *into.lock().unwrap(); //~
            *into.lock().unwrap() = old + amount; //~
        }
    }
}

impl Book for Result<u16, String> {
    fn book(self, into: &Mutex<u16>) {
        if let Ok(amount) = self {
            *into.lock().unwrap() += amount;
        }
    }
}

/// What is booked into it.
#[derive(Default)]
pub struct Account {
    sum: Mutex<u16>,
    sure: Mutex<u16>,
}

impl Account {
    pub fn book(&self, amount: u16) {
        Some(amount).book(&self.sum)
    }

    pub fn book_surely(&self, amount: u16) {
        Ok(amount).book(&self.sure)
    }
}

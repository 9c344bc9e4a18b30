//! Implementations that are neither beside the type nor beside the trait.
use std::sync::atomic::Ordering;

use crate::stock::{OPEN, Order, Stock, Visit};

impl Order for Stock {
    fn order(&self, count: u32) -> bool {
        if *self.left.lock().unwrap() < count { //~
            return false;
        }
        *self.left.lock().unwrap() -= count; //~
        true
    }

    fn order_at_once(&self, count: u32) -> bool {
        let mut left = self.left.lock().unwrap();
        if *left < count {
            return false;
        }
        *left -= count;
        true
    }
}

impl Stock {
    /// Whoever calls it has to look.
    fn fill(&self, count: u32) {
        *self.left.lock().unwrap() = count; //~
    }

    pub fn fill_up(&self, count: u32) {
        if *self.left.lock().unwrap() == 0 { //~
            self.fill(count);
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let open = OPEN.load(Ordering::SeqCst); //~
        OPEN.store(open + 1, Ordering::SeqCst); //~
    }
}

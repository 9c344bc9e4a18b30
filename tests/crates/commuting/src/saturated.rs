//! Numbers that are changed as far as it goes, and those that only grow: in which order does not matter.

use std::sync::Mutex;

/// Seats in the hall.
#[derive(Default)]
pub struct Hall {
    seated: Mutex<u32>,
}

impl Hall {
    /// A seat that is given back is one's own, whoever else gives one back in between.
    pub fn seat(&self, ticket: Option<u32>) -> bool {
        {
            let mut seated = self.seated.lock().unwrap();
            if *seated >= 100 {
                return false;
            }
            *seated += 1;
        }
        if ticket.is_none() {
            *self.seated.lock().unwrap() -= 1;
            return false;
        }
        true
    }

    pub fn leave(&self) {
        let mut seated = self.seated.lock().unwrap();
        *seated = seated.saturating_sub(1);
    }
}

/// Coupons: whether there are enough is seen in one section, and they are taken in another.
pub struct Coupons {
    left: Mutex<u32>,
}

impl Coupons {
    pub fn new(left: u32) -> Self {
        Coupons { left: Mutex::new(left) }
    }

    pub fn redeem(&self, count: u32) -> bool {
        if *self.left.lock().unwrap() < count { //~
            return false;
        }
        let mut left = self.left.lock().unwrap();
        *left = left.saturating_sub(count); //~
        true
    }
}

/// The highest bid, by way of two sections: a higher one stays.
#[derive(Default)]
pub struct Bids {
    highest: Mutex<u64>,
    count: Mutex<u64>,
}

impl Bids {
    pub fn bid(&self, amounts: [u64; 2]) {
        for amount in amounts {
            let mut highest = self.highest.lock().unwrap();
            *highest = amount.max(*highest);
        }
        *self.count.lock().unwrap() += 1;
    }
}

/// A record that is not the greater of both, but made of what was seen before.
#[derive(Default)]
pub struct Records {
    longest: Mutex<u64>,
}

impl Records {
    pub fn note(&self, more: u64) {
        let longest = *self.longest.lock().unwrap(); //~
        *self.longest.lock().unwrap() = longest.max(more); //~
    }
}

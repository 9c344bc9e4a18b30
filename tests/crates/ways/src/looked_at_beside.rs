//! Limits that are counted in a function of its own, which begins anew where the time of the old count is over: that says nothing of whether it
//! counts.

use std::sync::Mutex;

struct Count {
    number: u64,
    since: u64,
}

pub struct Limit {
    count: Mutex<Count>,
    most: u64,
}

impl Limit {
    pub fn new(most: u64) -> Limit {
        Limit { count: Mutex::new(Count { number: 0, since: 0 }), most }
    }

    fn used(&self) -> u64 {
        self.count.lock().unwrap().number //~
    }

    fn add(&self, now: u64) {
        let mut count = self.count.lock().unwrap();
        if now > count.since {
            *count = Count { number: 0, since: now };
        }
        count.number += 1; //~
    }

    /// Wrong: two callers may both find that there is room for one.
    pub fn admit(&self, now: u64) -> bool {
        if self.used() >= self.most {
            return false;
        }
        self.add(now);
        true
    }
}

pub struct LimitAtOnce {
    count: Mutex<Count>,
    most: u64,
}

impl LimitAtOnce {
    pub fn new(most: u64) -> LimitAtOnce {
        LimitAtOnce { count: Mutex::new(Count { number: 0, since: 0 }), most }
    }

    pub fn admit(&self, now: u64) -> bool {
        let mut count = self.count.lock().unwrap();
        if now > count.since {
            *count = Count { number: 0, since: now };
        }
        if count.number >= self.most {
            return false;
        }
        count.number += 1;
        true
    }
}

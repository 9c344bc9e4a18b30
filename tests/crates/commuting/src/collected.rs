//! What was found is noted in a list by a closure, and taken out later.
use std::collections::HashMap;
use std::sync::RwLock;

#[derive(Default)]
pub struct Leases {
    until: RwLock<HashMap<u64, u64>>,
}

impl Leases {
    pub fn renew(&self, id: u64, until: u64) {
        self.until.write().unwrap().insert(id, until); //~
    }

    /// One that is renewed meanwhile is taken out all the same.
    pub fn expire(&self, now: u64) {
        let mut old = Vec::new();
        self.until.read().unwrap().iter().filter(|(_, until)| **until <= now).for_each(|(id, _)| old.push(*id)); //~
        let mut leases = self.until.write().unwrap();
        for id in &old {
            leases.remove(id); //~
        }
    }
}

/// As `Leases`, under one lock.
#[derive(Default)]
pub struct Rents {
    until: RwLock<HashMap<u64, u64>>,
}

impl Rents {
    pub fn renew(&self, id: u64, until: u64) {
        self.until.write().unwrap().insert(id, until);
    }

    pub fn expire(&self, now: u64) {
        let mut rents = self.until.write().unwrap();
        let mut old = Vec::new();
        rents.iter().filter(|(_, until)| **until <= now).for_each(|(id, _)| old.push(*id));
        for id in &old {
            rents.remove(id);
        }
    }
}

//! Locks that are there for one key each: whoever takes one out of the map while somebody is about to take it leaves that one with a lock that
//! nobody else finds any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

type Locks = Mutex<HashMap<u32, Arc<Mutex<()>>>>;

#[derive(Default)]
pub struct Accounts {
    locks: Locks,
    balances: Mutex<HashMap<u32, u64>>,
}

impl Accounts {
    pub fn deposit(&self, account: u32, amount: u64) {
        let lock = self.locks.lock().unwrap().entry(account).or_default().clone();
        let _own = lock.lock().unwrap();
        let old = self.balances.lock().unwrap().get(&account).copied().unwrap_or(0); //~
        self.balances.lock().unwrap().insert(account, old + amount); //~
    }

    /// Wrong: who has the lock in hand, and has not taken it yet, is not noticed.
    pub fn clean(&self) {
        self.locks.lock().unwrap().retain(|_, lock| lock.try_lock().is_err());
    }
}

#[derive(Default)]
pub struct AccountsCounted {
    locks: Locks,
    balances: Mutex<HashMap<u32, u64>>,
}

impl AccountsCounted {
    pub fn deposit(&self, account: u32, amount: u64) {
        let lock = self.locks.lock().unwrap().entry(account).or_default().clone();
        let _own = lock.lock().unwrap();
        let old = self.balances.lock().unwrap().get(&account).copied().unwrap_or(0);
        self.balances.lock().unwrap().insert(account, old + amount);
    }

    /// A lock that somebody has in hand stays.
    pub fn clean(&self) {
        self.locks.lock().unwrap().retain(|_, lock| Arc::strong_count(lock) > 1);
    }
}

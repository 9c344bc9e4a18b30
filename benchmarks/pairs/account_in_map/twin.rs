//! The account is looked up in the map, and its balance is looked at and changed under its mutex: the look-up is no look at the balance.
use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

#[derive(Default)]
pub struct Bank {
    accounts: RwLock<HashMap<u32, Mutex<i64>>>,
}

impl Bank {
    pub fn open(&self, id: u32) {
        self.accounts.write().unwrap().entry(id).or_default();
    }
    pub fn deposit(&self, id: u32, amount: i64) {
        let accounts = self.accounts.read().unwrap();
        if let Some(account) = accounts.get(&id) {
            *account.lock().unwrap() += amount;
        }
    }
    pub fn withdraw(&self, id: u32, amount: i64) -> bool {
        let accounts = self.accounts.read().unwrap();
        let Some(account) = accounts.get(&id) else { return false };
        let mut balance = account.lock().unwrap();
        if *balance < amount {
            return false;
        }
        *balance -= amount;
        true
    }
}

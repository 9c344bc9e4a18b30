//! The balance of an account is looked at under its mutex, and changed under it later: two withdraw what is there once.
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
        if *account.lock().unwrap() < amount { //~
            return false;
        }
        *account.lock().unwrap() -= amount; //~
        true
    }
}

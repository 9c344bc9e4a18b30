//! Accounts of a bank.

use std::sync::Mutex;

pub struct Bank {
    accounts: Mutex<Vec<i64>>,
}

impl Bank {
    pub fn new(accounts: usize, balance: i64) -> Self {
        Bank { accounts: Mutex::new(vec![balance; accounts]) }
    }

    pub fn transfer(&self, from: usize, to: usize, amount: i64) -> bool {
        let mut accounts = self.accounts.lock().unwrap();
        if from.max(to) >= accounts.len() || accounts[from] < amount {
            return false;
        }
        accounts[from] -= amount;
        accounts[to] += amount;
        true
    }

    pub fn total(&self) -> i64 {
        self.accounts.lock().unwrap().iter().sum()
    }
}

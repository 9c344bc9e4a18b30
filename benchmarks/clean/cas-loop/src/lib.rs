//! An account that never goes below zero.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Account {
    balance: AtomicU64,
}

impl Account {
    pub fn deposit(&self, amount: u64) {
        self.balance.fetch_add(amount, SeqCst);
    }

    pub fn withdraw(&self, amount: u64) -> bool {
        let mut balance = self.balance.load(SeqCst);
        loop {
            let Some(rest) = balance.checked_sub(amount) else { return false };
            match self.balance.compare_exchange_weak(balance, rest, SeqCst, SeqCst) {
                Ok(_) => return true,
                Err(found) => balance = found,
            }
        }
    }

    pub fn balance(&self) -> u64 {
        self.balance.load(SeqCst)
    }
}

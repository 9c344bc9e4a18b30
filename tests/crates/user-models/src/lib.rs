//! What is known of the library `pool` comes from `robust.toml`.
use std::sync::Arc;

use pool::{Counter, Lock, Pool};

pub struct Account {
    balance: Lock<u64>,
    kept: Lock<u64>,
    withdrawals: Counter,
    last: Arc<std::sync::Mutex<u64>>,
}

impl Account {
    pub fn new() -> Self {
        Account {
            balance: Lock::new(10),
            kept: Lock::new(10),
            withdrawals: Counter::default(),
            last: Arc::default(),
        }
    }

    pub async fn withdraw(&self, amount: u64) -> bool {
        if *self.balance.lock().await < amount { //~
            return false;
        }
        *self.balance.lock().await -= amount; //~
        self.withdrawals.bump();
        true
    }

    pub async fn withdraw_well(&self, amount: u64) -> bool {
        let mut kept = self.kept.lock().await;
        if *kept < amount {
            return false;
        }
        *kept -= amount;
        self.withdrawals.bump();
        true
    }

    pub fn note(&self, pool: &Pool, amount: u64) -> bool {
        let last = self.last.clone();
        pool.run(move || *last.lock().unwrap() = amount); //~
        *self.last.lock().unwrap() == amount //~
    }
}

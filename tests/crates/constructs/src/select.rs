//! `select!`: one branch, chosen freely; the others are dropped where they stand.
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use tokio::time::sleep;

#[derive(Default)]
pub struct Checked {
    balance: Mutex<u64>,
    stop: Notify,
}

impl Checked {
    pub async fn withdraw(&self, amount: u64) -> bool {
        if *self.balance.lock().await < amount { //~
            return false;
        }
        tokio::select! {
            _ = sleep(Duration::from_millis(1)) => {
                *self.balance.lock().await -= amount; //~
                true
            }
            _ = self.stop.notified() => false,
        }
    }
}

#[derive(Default)]
pub struct Kept {
    balance: Mutex<u64>,
    stop: Notify,
}

impl Kept {
    pub async fn withdraw(&self, amount: u64) -> bool {
        let mut balance = self.balance.lock().await;
        if *balance < amount {
            return false;
        }
        tokio::select! {
            _ = sleep(Duration::from_millis(1)) => {
                *balance -= amount;
                true
            }
            _ = self.stop.notified() => false,
        }
    }
}

/// The branch that loses gives its guard back: what comes after it is not protected.
#[derive(Default)]
pub struct Cancelled {
    balance: Mutex<u64>,
    stop: Notify,
}

impl Cancelled {
    async fn audit(&self) -> u64 {
        let balance = self.balance.lock().await;
        sleep(Duration::from_millis(1)).await;
        *balance //~
    }

    pub async fn withdraw(&self, amount: u64) {
        let seen = tokio::select! {
            seen = self.audit() => seen,
            _ = self.stop.notified() => return,
        };
        if seen >= amount {
            *self.balance.lock().await -= amount; //~
        }
    }
}

/// Each branch is a transaction of its own, and only one of them runs to its end.
#[derive(Default)]
pub struct OneOfTwo {
    left: Mutex<u64>,
    right: Mutex<u64>,
}

impl OneOfTwo {
    async fn add(to: &Mutex<u64>, amount: u64) {
        let mut to = to.lock().await;
        let sum = *to + amount;
        sleep(Duration::from_millis(1)).await;
        *to = sum;
    }

    pub async fn add_somewhere(&self, amount: u64) {
        tokio::select! {
            _ = Self::add(&self.left, amount) => {}
            _ = Self::add(&self.right, amount) => {}
        }
    }
}

//! Things that change as a whole.
use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use crossbeam::atomic::AtomicCell;
use dashmap::DashMap;

#[derive(Default)]
pub struct Snapshot {
    table: ArcSwap<HashMap<u64, u64>>,
    fine: ArcSwap<HashMap<u64, u64>>,
}

impl Snapshot {
    pub fn insert(&self, key: u64, value: u64) {
        let mut table = HashMap::clone(&self.table.load()); //~
        table.insert(key, value);
        self.table.store(Arc::new(table)); //~
    }

    pub fn insert_well(&self, key: u64, value: u64) {
        self.fine.rcu(|table| {
            let mut table = HashMap::clone(table);
            table.insert(key, value);
            table
        });
    }

    pub fn len(&self) -> usize {
        self.fine.load().len()
    }
}

#[derive(Default)]
pub struct Cells {
    value: AtomicCell<u64>,
    fine: AtomicCell<u64>,
}

impl Cells {
    pub fn double(&self) {
        let seen = self.value.load(); //~
        self.value.store(seen * 2); //~
    }

    pub fn double_well(&self) {
        let _ = self.fine.fetch_update(|seen| Some(seen * 2));
    }
}

/// A guard of an entry locks it.
#[derive(Default)]
pub struct Accounts {
    balances: DashMap<u64, u64>,
    guarded: DashMap<u64, u64>,
    entered: DashMap<u64, u64>,
}

impl Accounts {
    pub fn double(&self, who: u64) {
        let seen = self.balances.get(&who).map(|balance| *balance).unwrap_or(1); //~
        self.balances.insert(who, seen * 2); //~
    }

    pub fn double_guarded(&self, who: u64) {
        if let Some(mut balance) = self.guarded.get_mut(&who) {
            let seen = *balance;
            *balance = seen * 2;
        }
    }

    pub fn double_entered(&self, who: u64) {
        let mut balance = self.entered.entry(who).or_insert(1);
        *balance *= 2;
    }
}

/// A cache that fills itself.
pub struct Moka {
    checked: moka::future::Cache<u64, u64>,
    filled: moka::future::Cache<u64, u64>,
}

async fn compute(key: u64) -> u64 {
    tokio::task::yield_now().await;
    key
}

impl Moka {
    pub async fn get(&self, key: u64) -> u64 {
        if let Some(found) = self.checked.get(&key).await { //~
            return found;
        }
        let value = compute(key).await;
        self.checked.insert(key, value).await; //~
        value
    }

    pub async fn get_well(&self, key: u64) -> u64 {
        self.filled.get_with(key, compute(key)).await
    }
}

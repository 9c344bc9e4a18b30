//! What goes with a key: a lock for each, a claim for as long as a task works, an entry that is taken out with all others.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use tokio::sync::OwnedMutexGuard;

/// Whoever is at a key has the lock of that key, which is made where there is none yet.
#[derive(Default)]
pub struct Drafts {
    drafts: RwLock<HashMap<String, Vec<u32>>>,
    locks: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl Drafts {
    async fn at(&self, key: &str) -> OwnedMutexGuard<()> {
        let lock = self.locks.lock().unwrap().entry(key.to_string()).or_default().clone();
        lock.lock_owned().await
    }
    pub async fn add(&self, key: &str, line: u32) -> usize {
        let _guard = self.at(key).await;
        let mut draft = self.drafts.read().unwrap().get(key).cloned().unwrap_or_default();
        draft.push(line);
        tokio::task::yield_now().await;
        let lines = draft.len();
        self.drafts.write().unwrap().insert(key.to_string(), draft);
        lines
    }
}

/// The same, but for what all keys have together.
#[derive(Default)]
pub struct Totals {
    total: RwLock<u64>,
    locks: DashMap<String, Arc<tokio::sync::Mutex<()>>>,
}

impl Totals {
    pub async fn add(&self, key: &str, amount: u64) -> u64 {
        let lock = self.locks.entry(key.to_string()).or_default().clone();
        let _guard = lock.lock().await;
        let total = *self.total.read().unwrap(); //~
        tokio::task::yield_now().await;
        *self.total.write().unwrap() = total + amount; //~
        total
    }
}

/// A key is claimed until a task is done with it.
#[derive(Default)]
pub struct Errands {
    running: Arc<DashMap<String, Instant>>,
}

struct Claim {
    running: Arc<DashMap<String, Instant>>,
    key: String,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.running.remove(&self.key);
    }
}

impl Errands {
    pub fn run(&self, key: String, errand: impl Future<Output = ()> + Send + 'static) -> bool {
        match self.running.entry(key.clone()) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(place) => place.insert(Instant::now()),
        };
        let claim = Claim { running: self.running.clone(), key };
        tokio::spawn(async move {
            errand.await;
            drop(claim);
        });
        true
    }
    pub fn is_running(&self, key: &str) -> bool {
        self.running.contains_key(key)
    }
}

/// Who leaves after all have been sent home is gone already.
pub struct Hall {
    is_open: Mutex<bool>,
    guests: Mutex<HashMap<u64, String>>,
}

impl Hall {
    pub fn leave(&self, guest: u64) {
        if *self.is_open.lock().unwrap() {
            self.guests.lock().unwrap().remove(&guest);
        }
    }
    pub fn close(&self) {
        let mut guests = self.guests.lock().unwrap();
        *self.is_open.lock().unwrap() = false;
        guests.clear();
    }
}

/// What is entered stays where it is: who goes from one name to another has the first for good.
#[derive(Default)]
pub struct Names {
    entered: RwLock<Entered>,
}

#[derive(Default)]
struct Entered {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
}

impl Names {
    pub fn enter(&self, name: String) -> usize {
        let mut entered = self.entered.write().unwrap();
        if let Some(number) = entered.numbers.get(&name) {
            return *number;
        }
        let number = entered.names.len();
        entered.numbers.insert(name.clone(), number);
        entered.names.push(name);
        number
    }
    pub fn below(&self, number: usize) -> Option<usize> {
        let name = self.entered.read().unwrap().names[number].clone();
        self.entered.read().unwrap().numbers.get(&format!("{name}/")).copied()
    }
}

/// The same where names are put in front of others.
#[derive(Default)]
pub struct Ranks {
    entered: RwLock<Entered>,
}

impl Ranks {
    pub fn enter(&self, name: String) {
        let mut entered = self.entered.write().unwrap();
        entered.numbers.insert(name.clone(), 0);
        entered.names.insert(0, name); //~
    }
    pub fn below(&self, number: usize) -> Option<usize> {
        let name = self.entered.read().unwrap().names[number].clone(); //~
        self.entered.read().unwrap().numbers.get(&format!("{name}/")).copied() //~
    }
}

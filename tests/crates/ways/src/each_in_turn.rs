//! Loops that go through so many elements and wait with each: all rounds are one piece of work, which goes by what was seen before the first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

async fn rest(of: usize) {
    tokio::time::sleep(Duration::from_millis(of as u64)).await;
}

/// Prices by name.
#[derive(Clone, Default)]
pub struct Prices {
    all: Arc<Mutex<HashMap<String, u64>>>,
}

impl Prices {
    pub fn add(&self, name: String, more: u64) {
        *self.all.lock().unwrap().entry(name).or_insert(0) += more; //~
    }

    /// Stores what is made of the price that was listed.
    pub async fn raise(&self) {
        let listed: Vec<(String, u64)> = self.all.lock().unwrap().clone().into_iter().collect(); //~
        for (name, price) in listed {
            rest(name.len()).await;
            self.all.lock().unwrap().insert(name, price + price / 10); //~
        }
    }

    /// Adds to whatever the price is by then.
    pub async fn charge(&self) {
        let names: Vec<String> = self.all.lock().unwrap().keys().cloned().collect();
        for name in names {
            rest(name.len()).await;
            if let Some(price) = self.all.lock().unwrap().get_mut(&name) {
                *price += 1;
            }
        }
    }
}

/// When something was last seen.
#[derive(Clone, Default)]
pub struct Sightings {
    last: Arc<RwLock<HashMap<u64, u64>>>,
}

impl Sightings {
    pub fn see(&self, id: u64, at: u64) {
        self.last.write().unwrap().insert(id, at); //~
    }

    /// Forgets what was not seen for long when they were listed.
    pub async fn forget(&self, now: u64) {
        let old: Vec<u64> = {
            let last = self.last.read().unwrap();
            last.iter().filter(|(_, at)| now.saturating_sub(**at) > 60).map(|(id, _)| *id).collect() //~
        };
        for id in old {
            rest(1).await;
            self.last.write().unwrap().remove(&id); //~
        }
    }

    /// Forgets what was not seen for long by then.
    pub async fn forget_with_care(&self, now: u64) {
        let old: Vec<u64> = {
            let last = self.last.read().unwrap();
            last.iter().filter(|(_, at)| now.saturating_sub(**at) > 60).map(|(id, _)| *id).collect()
        };
        for id in old {
            rest(1).await;
            let mut last = self.last.write().unwrap();
            if last.get(&id).is_some_and(|at| now.saturating_sub(*at) > 60) {
                last.remove(&id);
            }
        }
    }
}

/// A line that breaks.
#[derive(Clone, Default)]
pub struct Line {
    open: Arc<Mutex<Option<u32>>>,
}

impl Line {
    pub fn lose(&self) {
        *self.open.lock().unwrap() = None;
    }

    /// Each attempt looks anew.
    pub async fn mend(&self) -> bool {
        for attempt in 0..5 {
            rest(attempt).await;
            let mut open = self.open.lock().unwrap();
            if open.is_some() {
                return true;
            }
            if attempt > 2 {
                *open = Some(attempt as u32);
            }
        }
        false
    }
}

/// A text that is sent until somebody takes it.
#[derive(Clone, Default)]
pub struct Draft {
    text: Arc<Mutex<Vec<u8>>>,
}

impl Draft {
    pub fn write(&self, more: &[u8]) {
        let mut text = self.text.lock().unwrap();
        text.extend_from_slice(more);
        if text.len() > 4096 {
            text.clear();
        }
    }

    /// Takes off as much as was sent, though it may be another text by then.
    pub async fn send(&self) -> bool {
        let sent = self.text.lock().unwrap().clone(); //~
        for attempt in 0..3 {
            rest(attempt).await;
            if attempt > 0 {
                self.text.lock().unwrap().drain(..sent.len()); //~
                return true;
            }
        }
        false
    }
}

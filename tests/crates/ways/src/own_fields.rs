//! Keys that are parts of what a function was given: who has found nothing under its key, and puts something in, takes that out again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{RwLock, watch};

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Address(pub String);

#[derive(Default)]
pub struct Peers {
    all: HashMap<Address, u64>,
}

pub struct Handler {
    peers: Arc<RwLock<Peers>>,
    address: Address,
}

impl Handler {
    pub fn new(peers: Arc<RwLock<Peers>>, address: Address) -> Self {
        Handler { peers, address }
    }

    pub async fn run(self, number: u64) -> Result<(), u64> {
        {
            let mut peers = self.peers.write().await;
            if peers.all.contains_key(&self.address) {
                return Err(number);
            }
            peers.all.insert(self.address.clone(), number);
        }
        tokio::task::yield_now().await;
        self.peers.write().await.all.remove(&self.address);
        Ok(())
    }

    /// Two that have looked before either has put anything in.
    pub async fn run_unguarded(self, number: u64) -> Result<(), u64> {
        if self.peers.read().await.all.contains_key(&self.address) { //~
            return Err(number);
        }
        self.peers.write().await.all.insert(self.address.clone(), number); //~
        Ok(())
    }
}

type Flights = Arc<Mutex<HashMap<Address, u64>>>;

/// One that is on its way; it takes itself out as it ends.
pub struct Flight {
    flights: Flights,
    key: Address,
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.flights.lock().unwrap().remove(&self.key);
    }
}

#[derive(Clone, Default)]
pub struct Tower {
    flights: Flights,
}

impl Tower {
    pub fn fly(&self, key: Address, work: impl FnOnce() -> u64) -> Option<u64> {
        let flight = {
            let mut flights = self.flights.lock().unwrap();
            match flights.get(&key) {
                Some(_) => None,
                None => {
                    flights.insert(key.clone(), 1);
                    Some(Flight { flights: self.flights.clone(), key: key.clone() })
                }
            }
        };
        let flight = flight?;
        let done = work();
        drop(flight);
        Some(done)
    }
}

/// A value that is exchanged only if it is what was seen.
pub struct Setting {
    value: watch::Sender<Option<String>>,
}

impl Setting {
    pub fn set(&self, value: String) {
        self.value.send_replace(Some(value));
    }

    pub fn lengthen(&self) -> bool {
        let Some(old) = self.value.borrow().clone() else { return false };
        let new = old.clone() + "+";
        self.value.send_if_modified(|value| {
            let same = value.as_ref().is_some_and(|value| *value == old);
            if same {
                *value = Some(new);
            }
            same
        })
    }

    /// Whatever is there by then.
    pub fn shorten(&self) {
        let Some(old) = self.value.borrow().clone() else { return }; //~
        self.value.send_replace(Some(old.trim().to_owned())); //~
    }
}

/// What callers put together themselves may have anything in it that others have.
pub struct Member {
    pub name: u64,
    pub group: Arc<Mutex<Vec<u64>>>,
}

impl Member {
    pub fn join(&mut self) -> bool {
        let full = self.group.lock().unwrap().len() >= 5; //~
        if !full {
            self.group.lock().unwrap().insert(0, self.name); //~
        }
        !full
    }
}

//! What is run once for each object, for as long as that is there; and handlers, of which the one or the other is called.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::watch;

/// A keeper's rounds: nobody runs two of them for one lighthouse.
#[derive(Default)]
pub struct Lighthouse {
    lamps: RwLock<HashMap<u32, u64>>,
}

impl Lighthouse {
    pub async fn keep(self: Arc<Self>, must_go: watch::Receiver<bool>) {
        while !*must_go.borrow() {
            let dim: Vec<u32> = {
                let lamps = self.lamps.read().unwrap();
                lamps.iter().filter(|(_, oil)| **oil < 3).map(|(lamp, _)| *lamp).collect()
            };
            for lamp in dim {
                if let Some(oil) = self.lamps.write().unwrap().get_mut(&lamp) {
                    *oil += 10;
                }
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Many wait for a berth, and each takes one: these are no rounds.
#[derive(Default)]
pub struct Harbour {
    free: Mutex<u32>,
}

impl Harbour {
    pub async fn moor(&self) -> u32 {
        loop {
            let free = *self.free.lock().unwrap(); //~
            if free > 0 {
                *self.free.lock().unwrap() = free - 1; //~
                return free;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    pub fn leave(&self) {
        *self.free.lock().unwrap() += 1;
    }
}

/// The same of those who have a pointer of their own.
#[derive(Default)]
pub struct Sluice {
    is_full: Mutex<bool>,
}

impl Sluice {
    pub async fn enter(self: Arc<Self>) {
        loop {
            let is_full = *self.is_full.lock().unwrap(); //~
            if !is_full {
                *self.is_full.lock().unwrap() = true; //~
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    pub fn leave(&self) {
        *self.is_full.lock().unwrap() = false;
    }
}

/// What each ship's crew does in rounds of its own is to what all ships have.
#[derive(Default)]
pub struct Sea {
    fish: Mutex<u32>,
}

pub struct Trawler {
    sea: Arc<Sea>,
    log: Mutex<u32>,
}

impl Trawler {
    pub async fn fish(self: Arc<Self>, must_go: watch::Receiver<bool>) {
        while !*must_go.borrow() {
            let fish = *self.sea.fish.lock().unwrap(); //~
            *self.log.lock().unwrap() += 1;
            *self.sea.fish.lock().unwrap() = fish.saturating_sub(1); //~
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

type Handler = Box<dyn Fn(u32, bool) + Send + Sync>;

/// Handlers that are set, and taken away in the end: whoever comes in between calls the one or the other.
#[derive(Default)]
pub struct Pier {
    on_arrival: ArcSwapOption<Handler>,
    on_leave: ArcSwapOption<Handler>,
}

impl Pier {
    pub fn on_arrival(&self, handler: impl Fn(u32, bool) + Send + Sync + 'static) {
        self.on_arrival.store(Some(Arc::new(Box::new(handler))));
    }
    pub fn on_leave(&self, handler: impl Fn(u32, bool) + Send + Sync + 'static) {
        self.on_leave.store(Some(Arc::new(Box::new(handler))));
    }
    pub fn close(&self) {
        self.on_arrival.store(None);
        self.on_leave.store(None);
    }
    pub fn visit(&self, ship: u32) -> bool {
        let mut told = false;
        if let Some(handler) = self.on_arrival.load().as_ref() {
            handler(ship, true);
            told = true;
        }
        if let Some(handler) = self.on_leave.load().as_ref() {
            handler(ship, false);
            told = true;
        }
        told
    }
}

/// What came while there was no handler is kept for it: that there is none is more than which one there is.
#[derive(Default)]
pub struct Pilot {
    on_call: Mutex<Option<Arc<Handler>>>,
    missed: Mutex<Vec<u32>>,
}

impl Pilot {
    pub fn call(&self, ship: u32) {
        let handler = self.on_call.lock().unwrap().clone(); //~
        match handler {
            Some(handler) => handler(ship, true),
            None => self.missed.lock().unwrap().push(ship), //~
        }
    }
    pub fn on_call(&self, handler: Handler) {
        *self.on_call.lock().unwrap() = Some(Arc::new(handler)); //~
        for ship in self.missed.lock().unwrap().drain(..) { //~
            println!("{ship} called before");
        }
    }
}

//! Work under a name, which takes itself off the list when it is done: by then the list may have a successor under that name.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

fn labour(name: &str) {
    println!("{name}");
}

/// Whatever is there by then is taken off.
#[derive(Clone, Default)]
pub struct Foreman {
    crews: Arc<Mutex<HashMap<String, u64>>>,
}

impl Foreman {
    pub fn send(&self, name: String, since: u64) {
        let (own, job) = (self.clone(), name.clone());
        self.crews.lock().unwrap().insert(name, since); //~
        thread::spawn(move || {
            labour(&job);
            own.crews.lock().unwrap().remove(&job); //~
        });
    }
}

/// Only what was put there for this work is.
#[derive(Clone, Default)]
pub struct Overseer {
    crews: Arc<Mutex<HashMap<String, (u64, u64)>>>,
    next: Arc<AtomicU64>,
}

impl Overseer {
    pub fn send(&self, name: String, since: u64) {
        let (own, job) = (self.clone(), name.clone());
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.crews.lock().unwrap().insert(name, (number, since));
        thread::spawn(move || {
            labour(&job);
            let mut crews = own.crews.lock().unwrap();
            if crews.get(&job).map_or(false, |(theirs, _)| *theirs == number) {
                crews.remove(&job);
            }
        });
    }

    pub fn call_off(&self, name: &str) {
        self.crews.lock().unwrap().remove(name);
    }
}

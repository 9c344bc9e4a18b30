//! Who looks at what its task changes finds the task's work, or not yet. Where others change it, too, it finds whatever there is.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Everybody hires, and who looks goes by how many there are.
#[derive(Default)]
pub struct Crew {
    size: Arc<AtomicU32>,
    jobs: Mutex<Vec<u32>>,
}

impl Crew {
    pub fn open(&self) {
        let size = self.size.clone();
        thread::spawn(move || size.fetch_add(1, Ordering::SeqCst));
        if self.size.load(Ordering::SeqCst) > 2 {
            self.jobs.lock().unwrap().push(1);
        }
    }

    pub fn hire(&self) {
        self.size.fetch_add(1, Ordering::SeqCst);
    }

    pub fn next(&self) -> Option<u32> {
        self.jobs.lock().unwrap().pop()
    }
}

/// Nobody but the task loads the catalogue, which may come too late.
#[derive(Default)]
pub struct Shop {
    catalogue: Arc<Mutex<Vec<u32>>>,
    jobs: Mutex<Vec<u32>>,
}

impl Shop {
    pub fn open(&self) {
        let catalogue = self.catalogue.clone();
        thread::spawn(move || catalogue.lock().unwrap().push(1)); //~
        if self.catalogue.lock().unwrap().is_empty() { //~
            self.jobs.lock().unwrap().push(1);
        }
    }

    pub fn next(&self) -> Option<u32> {
        self.jobs.lock().unwrap().pop()
    }
}

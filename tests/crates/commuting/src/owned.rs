//! What one caller has to itself, and nobody can clone: a handle that is made of new parts shares them with no other of its kind; a
//! lease shares what it is a lease of.

use std::sync::{Arc, Mutex};

/// One writes, many read.
pub struct Writer {
    pages: Arc<Mutex<Vec<u32>>>,
}

#[derive(Clone)]
pub struct Reader {
    pages: Arc<Mutex<Vec<u32>>>,
}

pub fn book() -> (Writer, Reader) {
    let pages = Arc::new(Mutex::new(Vec::new()));
    (Writer { pages: pages.clone() }, Reader { pages })
}

impl Writer {
    pub fn write(&mut self, page: u32) {
        let full = self.pages.lock().unwrap().len() >= 100;
        if !full {
            self.pages.lock().unwrap().push(page);
        }
    }
}

impl Reader {
    pub fn first(&self) -> Option<u32> {
        self.pages.lock().unwrap().first().copied()
    }
}

#[derive(Default)]
pub struct Rack {
    bikes: Arc<Mutex<Vec<u32>>>,
}

/// Each has one to itself; the rack is everybody's.
pub struct Lease {
    bikes: Arc<Mutex<Vec<u32>>>,
}

impl Rack {
    pub fn lease(&self) -> Lease {
        Lease { bikes: self.bikes.clone() }
    }
}

impl Lease {
    pub fn give_back(&mut self, bike: u32) {
        let full = self.bikes.lock().unwrap().len() >= 100; //~
        if !full {
            self.bikes.lock().unwrap().push(bike); //~
        }
    }
}

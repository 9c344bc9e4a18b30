//! One thing is there, and only then is another one entered, or counted, that belongs to it. Who takes the first one out takes off, or out,
//! what is not there yet.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

/// Plates are put on the pile, and then counted.
#[derive(Default)]
pub struct Pile {
    plates: Mutex<VecDeque<u8>>,
    clean: AtomicUsize,
}

impl Pile {
    pub fn put(&self, plate: u8) {
        self.plates.lock().unwrap().push_back(plate); //~
        self.clean.fetch_add(1, SeqCst); //~
    }

    pub fn take(&self) -> Option<u8> {
        let plate = self.plates.lock().unwrap().pop_front()?; //~
        let _ = self.clean.fetch_update(SeqCst, SeqCst, |clean| clean.checked_sub(1)); //~
        Some(plate)
    }

    pub fn is_empty(&self) -> bool {
        self.clean.load(SeqCst) == 0
    }
}

/// They are counted where they are put.
#[derive(Default)]
pub struct Tray {
    plates: Mutex<(VecDeque<u8>, usize)>,
}

impl Tray {
    pub fn put(&self, plate: u8) {
        let mut plates = self.plates.lock().unwrap();
        plates.0.push_back(plate);
        plates.1 += 1;
    }

    pub fn take(&self) -> Option<u8> {
        let mut plates = self.plates.lock().unwrap();
        let plate = plates.0.pop_front()?;
        plates.1 = plates.1.saturating_sub(1);
        Some(plate)
    }

    pub fn is_empty(&self) -> bool {
        self.plates.lock().unwrap().1 == 0
    }
}

/// A member is listed by name, and then by number. Who leaves in between stays in one of the lists.
#[derive(Default)]
pub struct Club {
    numbers: RwLock<BTreeMap<String, u32>>,
    names: RwLock<BTreeMap<u32, String>>,
}

impl Club {
    pub fn join(&self, name: String, number: u32) {
        self.numbers.write().unwrap().insert(name.clone(), number); //~
        self.names.write().unwrap().insert(number, name); //~
    }

    pub fn leave(&self, name: &str) {
        if let Some(number) = self.numbers.write().unwrap().remove(name) { //~
            self.names.write().unwrap().remove(&number); //~
        }
    }

    pub fn called(&self, number: u32) -> Option<String> {
        self.names.read().unwrap().get(&number).cloned()
    }
}

/// Both lists are changed under the lock of the first one.
#[derive(Default)]
pub struct Society {
    numbers: RwLock<BTreeMap<String, u32>>,
    names: RwLock<BTreeMap<u32, String>>,
}

impl Society {
    pub fn join(&self, name: String, number: u32) {
        let mut numbers = self.numbers.write().unwrap();
        numbers.insert(name.clone(), number);
        self.names.write().unwrap().insert(number, name);
    }

    pub fn leave(&self, name: &str) {
        let mut numbers = self.numbers.write().unwrap();
        if let Some(number) = numbers.remove(name) {
            self.names.write().unwrap().remove(&number);
        }
    }

    pub fn called(&self, number: u32) -> Option<String> {
        self.names.read().unwrap().get(&number).cloned()
    }
}

/// What belongs to nothing else: how many there ever were, and when the last one came.
#[derive(Default)]
pub struct Gate {
    inside: Mutex<Vec<u32>>,
    ever: AtomicUsize,
}

impl Gate {
    pub fn enter(&self, who: u32) {
        self.inside.lock().unwrap().push(who);
        self.ever.fetch_add(1, SeqCst);
    }

    pub fn leave(&self) -> Option<u32> {
        self.inside.lock().unwrap().pop()
    }

    pub fn ever(&self) -> usize {
        self.ever.load(SeqCst)
    }
}

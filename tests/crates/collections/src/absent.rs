//! An entry that is made where there was none, by hand: what others found under the key stays as it was.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

type Count = Arc<Mutex<u32>>;

/// Looked for and put in under one guard.
#[derive(Default)]
pub struct Asked {
    all: Mutex<HashMap<String, Count>>,
}

impl Asked {
    fn count(&self, name: &str) -> Count {
        let mut all = self.all.lock().unwrap();
        if !all.contains_key(name) {
            all.insert(name.to_owned(), Count::default());
        }
        all[name].clone()
    }

    fn other(&self, name: &str) -> Count {
        let mut all = self.all.lock().unwrap();
        if let Some(count) = all.get(name) {
            return count.clone();
        }
        let count = Count::default();
        all.insert(name.to_owned(), count.clone());
        count
    }

    pub fn raise(&self, name: &str) -> u32 {
        let count = self.count(name);
        *count.lock().unwrap() += 1;
        0
    }

    pub fn double(&self, name: &str) {
        let count = self.other(name);
        let mut count = count.lock().unwrap();
        *count = *count * 2 + 1;
    }
}

/// The guard is given back in between.
#[derive(Default)]
pub struct Twice {
    all: Mutex<HashMap<String, Count>>,
}

impl Twice {
    pub fn count(&self, name: &str) -> u32 {
        if !self.all.lock().unwrap().contains_key(name) { //~
            self.all.lock().unwrap().insert(name.to_owned(), Count::default()); //~
        }
        0
    }
}

/// What others found is put out of its place.
#[derive(Default)]
pub struct Replaced {
    all: Mutex<HashMap<String, Count>>,
}

impl Replaced {
    pub fn restart(&self, name: &str) -> u32 {
        let mut all = self.all.lock().unwrap();
        let Some(old) = all.get(name).cloned() else { return 0 };
        all.insert(name.to_owned(), Count::default()); //~
        drop(all);
        *old.lock().unwrap() //~
    }

    pub fn raise(&self, name: &str) {
        let count = self.all.lock().unwrap().get(name).cloned(); //~
        if let Some(count) = count {
            *count.lock().unwrap() += 1; //~
        }
    }
}

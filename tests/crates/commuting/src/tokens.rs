//! Who got something on one way does something about it later, and who did not get it does not: branches that ask the same
//! go the same way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

/// One runs for a name, and others wait for it.
#[derive(Default)]
pub struct Runs {
    running: RwLock<HashMap<u32, Arc<Mutex<u32>>>>,
}

impl Runs {
    /// Only who put it in takes it out again.
    pub fn run(&self, name: u32) -> bool {
        let known = self.running.read().unwrap().get(&name).cloned();
        let (mine, other) = match known {
            Some(other) => (None, Some(other)),
            None => {
                let mut running = self.running.write().unwrap();
                match running.get(&name) {
                    Some(other) => (None, Some(other.clone())),
                    None => {
                        let mine = Arc::new(Mutex::new(0));
                        running.insert(name, mine.clone());
                        (Some(mine), None)
                    }
                }
            }
        };
        if let Some(other) = other {
            return *other.lock().unwrap() > 0;
        }
        if let Some(mine) = mine {
            *mine.lock().unwrap() += 1;
            self.running.write().unwrap().remove(&name);
        }
        true
    }
}

/// The same, in one variable.
#[derive(Default)]
pub struct Seats {
    taken: Mutex<HashMap<u32, u32>>,
    visits: Mutex<u32>,
}

impl Seats {
    pub fn sit(&self, seat: u32, who: u32) -> bool {
        if self.taken.lock().unwrap().contains_key(&seat) {
            return false;
        }
        let mine = {
            let mut taken = self.taken.lock().unwrap();
            if taken.contains_key(&seat) {
                None
            } else {
                taken.insert(seat, who);
                Some(())
            }
        };
        *self.visits.lock().unwrap() += 1;
        if mine.is_some() {
            self.taken.lock().unwrap().remove(&seat);
        }
        mine.is_some()
    }
}

/// Here whoever looked first takes out what somebody else may have put in since.
#[derive(Default)]
pub struct Benches {
    taken: Mutex<HashMap<u32, u32>>,
}

impl Benches {
    pub fn sit(&self, seat: u32, who: u32) -> bool {
        let free = !self.taken.lock().unwrap().contains_key(&seat); //~
        let mine = if free { Some(who) } else { None };
        if let Some(who) = mine {
            self.taken.lock().unwrap().insert(seat, who); //~
        }
        mine.is_some()
    }

    pub fn who(&self, seat: u32) -> Option<u32> {
        self.taken.lock().unwrap().get(&seat).copied()
    }
}

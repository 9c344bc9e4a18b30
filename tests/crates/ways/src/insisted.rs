//! Who looks for something, and then insists on finding it as it takes it out.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct Seats {
    here: Mutex<HashMap<u64, String>>,
    there: Mutex<HashMap<u64, String>>,
    spared: Mutex<HashMap<u64, String>>,
}

impl Seats {
    pub fn fill(&self, id: u64) {
        self.here.lock().unwrap().insert(id, String::new());
        self.there.lock().unwrap().insert(id, String::new());
        self.spared.lock().unwrap().insert(id, String::new());
    }

    /// Two who leave at once both find it, and one of them panics.
    pub fn leave(&self, id: u64) {
        if self.here.lock().unwrap().contains_key(&id) { //~
            self.here.lock().unwrap().remove(&id).expect("it was here"); //~
        }
    }

    /// The same, a call away.
    pub fn go(&self, id: u64) {
        if !self.there.lock().unwrap().contains_key(&id) { //~
            return;
        }
        self.vacate(id);
    }

    fn vacate(&self, id: u64) {
        self.there.lock().unwrap().remove(&id).expect("it was there"); //~
    }

    /// Only spares itself the removal.
    pub fn clear(&self, id: u64) {
        if self.spared.lock().unwrap().contains_key(&id) {
            self.spared.lock().unwrap().remove(&id);
        }
    }
}

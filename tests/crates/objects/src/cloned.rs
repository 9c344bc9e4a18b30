//! What a copy of a pointer leads to is not what the pointer was copied from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

pub struct Lamp {
    watts: u32,
}

/// All lamps are copied out of the map at once; later nobody looks at the map any more.
#[derive(Default)]
pub struct House {
    lamps: Mutex<HashMap<u8, Arc<Lamp>>>,
    used: Mutex<u32>,
}

impl House {
    fn lamps(&self) -> Vec<Arc<Lamp>> {
        self.lamps.lock().unwrap().values().cloned().collect()
    }

    pub fn measure(&self) {
        for lamp in self.lamps() {
            let shared = Arc::clone(&lamp);
            *self.used.lock().unwrap() += shared.watts;
        }
    }

    pub fn fit(&self, room: u8, watts: u32) {
        self.lamps.lock().unwrap().insert(room, Arc::new(Lamp { watts }));
    }

    pub fn take_down(&self, room: u8) {
        self.lamps.lock().unwrap().remove(&room);
    }
}

/// The pointers themselves are replaced, by what was made of a copy of before.
#[derive(Default)]
pub struct Street {
    lamps: Mutex<HashMap<u8, Arc<Lamp>>>,
}

impl Street {
    pub fn brighten(&self) {
        let most = self.lamps.lock().unwrap().values().map(|lamp| lamp.watts).max().unwrap_or(0); //~
        for lamp in self.lamps.lock().unwrap().values_mut() { //~
            *lamp = Arc::new(Lamp { watts: most + 1 });
        }
    }

    pub fn dim(&self) {
        for lamp in self.lamps.lock().unwrap().values_mut() {
            *lamp = Arc::new(Lamp { watts: 1 }); //~
        }
    }
}

//! Places that are used again: who takes one out of those that are free has it to themselves until they put it back.

use std::sync::{Arc, Mutex, RwLock};

#[derive(Default)]
struct Place {
    value: RwLock<Option<u64>>,
}

#[derive(Clone, Default)]
pub struct Pool {
    free: Arc<Mutex<Vec<Arc<Place>>>>,
}

pub struct Kept {
    place: Arc<Place>,
    pool: Pool,
}

impl Pool {
    pub fn keep(&self, value: u64) -> Kept {
        let place = self.free.lock().unwrap().pop().unwrap_or_default();
        *place.value.write().unwrap() = Some(value);
        Kept { place, pool: self.clone() }
    }
}

impl Kept {
    pub fn get(&self) -> Option<u64> {
        *self.place.value.read().unwrap()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        *self.place.value.write().unwrap() = None;
        self.pool.free.lock().unwrap().push(self.place.clone());
    }
}

#[derive(Default)]
pub struct Board {
    places: Mutex<Vec<Arc<Place>>>,
}

impl Board {
    pub fn add(&self) {
        self.places.lock().unwrap().push(Arc::default());
    }

    /// Wrong: the last one is looked at, and not taken out.
    pub fn fill_last(&self, value: u64) -> bool {
        let Some(place) = self.places.lock().unwrap().last().cloned() else { return false };
        if place.value.read().unwrap().is_some() { //~
            return false;
        }
        *place.value.write().unwrap() = Some(value); //~
        true
    }
}

//! Types tell objects apart, also those with parameters, and those that a function makes that is handed to the allocator.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// A guest of a house.
pub struct Guest<T> {
    house: Weak<House<T>>,
    here: Mutex<bool>,
    luggage: Option<T>,
}

/// A house that its guests know.
pub struct House<T> {
    me: Weak<House<T>>,
    opened: u32,
    guests: Mutex<HashMap<u32, Arc<Guest<T>>>>,
}

impl<T> House<T> {
    pub fn open(opened: u32) -> Arc<House<T>> {
        Arc::new_cyclic(|me| House { me: me.clone(), opened, guests: Mutex::default() })
    }

    /// Who is known already is not let in again; that they are is seen and changed under one lock. The year it opened is no part of
    /// that.
    pub fn enter(&self, name: u32) -> Option<u32> {
        let guest = Guest { house: self.me.clone(), here: Mutex::new(true), luggage: None };
        let mut guests = self.guests.lock().unwrap();
        if guests.contains_key(&name) {
            return None;
        }
        guests.insert(name, Arc::new(guest));
        drop(guests);
        Some(self.opened)
    }

    pub fn leave_all(&self) {
        let guests: Vec<Arc<Guest<T>>> = self.guests.lock().unwrap().values().cloned().collect();
        for guest in guests {
            guest.leave();
        }
    }
}

impl<T> Guest<T> {
    fn leave(&self) {
        *self.here.lock().unwrap() = false;
    }

    pub fn is_here(&self) -> bool {
        *self.here.lock().unwrap() && self.luggage.is_none() && self.house.upgrade().is_some()
    }
}

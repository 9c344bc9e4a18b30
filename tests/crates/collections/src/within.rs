//! Collections within an entry that is looked for anew: that there is an entry still says nothing of what was seen in it.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

pub struct Table {
    guests: HashSet<u32>,
    seats: usize,
}

#[derive(Default)]
pub struct Restaurant {
    tables: Mutex<HashMap<u32, Table>>,
}

impl Restaurant {
    pub fn open(&self, number: u32) {
        self.tables.lock().unwrap().insert(number, Table { guests: HashSet::new(), seats: 4 }); //~
    }

    fn is_free(&self, number: u32) -> bool {
        let tables = self.tables.lock().unwrap();
        tables.get(&number).map(|table| table.guests.len() < table.seats).unwrap_or(false) //~
    }

    pub fn sit(&self, number: u32, guest: u32) -> bool {
        if !self.is_free(number) {
            return false;
        }
        let mut tables = self.tables.lock().unwrap();
        tables.get_mut(&number).map(|table| table.guests.insert(guest)).unwrap_or(false) //~
    }
}

#[derive(Default)]
pub struct Canteen {
    tables: Mutex<HashMap<u32, Table>>,
}

impl Canteen {
    pub fn open(&self, number: u32) {
        self.tables.lock().unwrap().insert(number, Table { guests: HashSet::new(), seats: 4 });
    }

    /// What was seen first only spares the lock; it is looked at again with the change.
    pub fn sit(&self, number: u32, guest: u32) -> bool {
        let free = |table: &Table| table.guests.len() < table.seats;
        if !self.tables.lock().unwrap().get(&number).map(free).unwrap_or(false) {
            return false;
        }
        let mut tables = self.tables.lock().unwrap();
        match tables.get_mut(&number) {
            Some(table) if free(table) => table.guests.insert(guest),
            _ => false,
        }
    }

    /// Whether there is such a table is all that was asked.
    pub fn book(&self, number: u32, guest: u32) -> bool {
        if !self.tables.lock().unwrap().contains_key(&number) {
            return false;
        }
        let mut tables = self.tables.lock().unwrap();
        tables.get_mut(&number).map(|table| table.guests.insert(guest)).unwrap_or(false)
    }
}

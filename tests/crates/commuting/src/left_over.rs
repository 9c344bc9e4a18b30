//! Who sees what is left as it leaves knows whether it is the last; and by how much something has become less is known to who has had it
//! under one guard.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Wire {
    users: u32,
    turn: u64,
    open: bool,
}

/// A wire is cut a while after the last user has left it, unless somebody has come since.
#[derive(Clone, Default)]
pub struct Wires {
    wire: Arc<Mutex<Wire>>,
}

impl Wires {
    pub fn enter(&self) {
        let mut wire = self.wire.lock().unwrap();
        wire.users += 1;
        wire.turn += 1;
        wire.open = true;
    }

    pub fn leave(&self) {
        let turn = {
            let mut wire = self.wire.lock().unwrap();
            wire.users -= 1;
            if wire.users > 0 {
                return;
            }
            wire.turn
        };
        let wires = self.clone();
        std::thread::spawn(move || {
            let mut wire = wires.wire.lock().unwrap();
            if wire.users == 0 && wire.turn == turn {
                wire.open = false;
            }
        });
    }
}

/// Whether it is the last is looked at later: both of two see nobody left.
#[derive(Default)]
pub struct Doors {
    inside: Mutex<u32>,
    closed: Mutex<Vec<String>>,
}

impl Doors {
    pub fn enter(&self) {
        *self.inside.lock().unwrap() += 1;
    }

    pub fn leave(&self) {
        *self.inside.lock().unwrap() -= 1; //~
        if *self.inside.lock().unwrap() == 0 { //~
            self.closed.lock().unwrap().push("closed".to_string());
        }
    }
}

/// A look whether it is worth while, and then all of it under one guard.
#[derive(Default)]
pub struct Lofts {
    lofts: Mutex<HashMap<u32, Vec<u32>>>,
}

impl Lofts {
    pub fn put(&self, loft: u32, what: u32) {
        self.lofts.lock().unwrap().entry(loft).or_default().push(what);
    }

    pub fn tidy(&self) -> usize {
        if !self.lofts.lock().unwrap().values().any(|loft| loft.is_empty()) {
            return 0;
        }
        let mut lofts = self.lofts.lock().unwrap();
        let before = lofts.len();
        lofts.retain(|_, loft| !loft.is_empty());
        before - lofts.len()
    }
}

/// Under several guards there may be more than before.
#[derive(Default)]
pub struct Sheds {
    sheds: Mutex<HashMap<u32, Vec<u32>>>,
}

impl Sheds {
    pub fn put(&self, shed: u32, what: u32) {
        self.sheds.lock().unwrap().entry(shed).or_default().push(what); //~
    }

    pub fn tidy(&self) -> usize {
        if !self.sheds.lock().unwrap().values().any(|shed| shed.is_empty()) { //~
            return 0;
        }
        let before = self.sheds.lock().unwrap().len(); //~
        self.sheds.lock().unwrap().retain(|_, shed| !shed.is_empty());
        before - self.sheds.lock().unwrap().len()
    }
}

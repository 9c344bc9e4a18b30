//! What runs when a value goes away.
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Desk {
    open: Mutex<u64>,
    fine: Mutex<u64>,
    inside: Mutex<u64>,
    kept: Mutex<u64>,
    stacked: Mutex<u64>,
}

/// Callers drop it when they like.
pub struct Ticket {
    desk: Arc<Desk>,
}

impl Desk {
    pub fn ticket(self: &Arc<Self>) -> Ticket {
        *self.open.lock().unwrap() += 1;
        Ticket { desk: self.clone() }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let open = *self.desk.open.lock().unwrap(); //~
        *self.desk.open.lock().unwrap() = open / 2; //~
    }
}

/// In one section.
pub struct GoodTicket {
    desk: Arc<Desk>,
}

impl Desk {
    pub fn good_ticket(self: &Arc<Self>) -> GoodTicket {
        *self.fine.lock().unwrap() += 1;
        GoodTicket { desk: self.clone() }
    }
}

impl Drop for GoodTicket {
    fn drop(&mut self) {
        let mut open = self.desk.fine.lock().unwrap();
        let seen = *open;
        *open = seen / 2;
    }
}

/// What a function drops before it returns, be it in a box in an option.
struct Mark<'a>(&'a Desk);

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        *self.0.inside.lock().unwrap() = 7; //~
    }
}

impl Desk {
    pub fn visit(&self, long: bool) -> u64 {
        let before = *self.inside.lock().unwrap(); //~
        let mark = long.then(|| Box::new(Mark(self)));
        drop(mark);
        before
    }
}

/// What is forgotten runs nothing.
struct Seal<'a>(&'a Desk);

impl Drop for Seal<'_> {
    fn drop(&mut self) {
        *self.0.kept.lock().unwrap() = 9;
    }
}

impl Desk {
    pub fn seal(&self) -> u64 {
        let before = *self.kept.lock().unwrap();
        let _kept = ManuallyDrop::new(Seal(self));
        std::mem::forget(Seal(self));
        before
    }

    pub fn sealed(&self, to: u64) {
        *self.kept.lock().unwrap() = to;
    }
}

/// What a container owns goes with it.
struct Sheet<'a>(&'a Desk);

impl Drop for Sheet<'_> {
    fn drop(&mut self) {
        *self.0.stacked.lock().unwrap() = 1; //~
    }
}

impl Desk {
    pub fn stack(&self) -> u64 {
        let mut sheets = vec![Sheet(self)];
        let before = *self.stacked.lock().unwrap(); //~
        sheets.clear();
        before
    }
}

/// What is entered as a value is dropped, by name.
pub struct Ledger {
    entries: std::sync::Mutex<std::collections::HashMap<u32, u32>>,
}

struct Entry<'a> {
    ledger: &'a Ledger,
    key: u32,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.ledger.entries.lock().unwrap().insert(self.key, 1); //~
    }
}

impl Ledger {
    pub fn new() -> Ledger {
        Ledger { entries: Default::default() }
    }

    pub fn enter(&self, key: u32) {
        if !self.entries.lock().unwrap().contains_key(&key) { //~
            let entry = Entry { ledger: self, key };
            drop(entry);
        }
    }
}

//! What a task looks at that was started: of many entries, one that it was started with is there or it is not, and what its starter has looked at need not be what
//! the task finds elsewhere. What it was started with to change, it has to find as it was left.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

pub struct Caller {
    pub id: u64,
    connected: Mutex<bool>,
}

pub struct Exchange {
    on_call: RwLock<u64>,
    on_end: RwLock<u64>,
    callers: Mutex<HashMap<u64, Arc<Caller>>>,
}

impl Exchange {
    pub fn new() -> Arc<Self> {
        Arc::new(Exchange { on_call: RwLock::new(0), on_end: RwLock::new(0), callers: Mutex::default() })
    }
    pub fn set(&self, call: u64, end: u64) {
        *self.on_call.write().unwrap() = call;
        *self.on_end.write().unwrap() = end;
    }
    pub fn connect(self: &Arc<Self>, id: u64) {
        println!("{}", self.on_call.read().unwrap());
        self.callers.lock().unwrap().insert(id, Arc::new(Caller { id, connected: Mutex::new(true) }));
        let exchange = self.clone();
        std::thread::spawn(move || {
            if let Some(caller) = exchange.callers.lock().unwrap().get(&id).cloned() {
                println!("{} {}", caller.id, *caller.connected.lock().unwrap());
            }
            println!("{}", exchange.on_end.read().unwrap());
        });
    }
    pub fn end(&self, id: u64) {
        if let Some(caller) = self.callers.lock().unwrap().remove(&id) {
            *caller.connected.lock().unwrap() = false;
        }
    }
}

/// The number that a task was started with is the one that it is to find.
#[derive(Default)]
pub struct Switchboard {
    number: Mutex<u64>,
}

impl Switchboard {
    pub fn dial(self: &Arc<Self>, number: u64) {
        *self.number.lock().unwrap() = number; //~
        let board = self.clone();
        std::thread::spawn(move || println!("{}", board.number.lock().unwrap())); //~
    }
}

//! What is set once and never emptied again is the same for whoever finds it set.

use std::cell::RefCell;
use std::sync::{Mutex, RwLock};

static HOST: Mutex<Option<String>> = Mutex::new(None);

fn host() -> String {
    let mut host = HOST.lock().unwrap();
    if host.is_none() {
        *host = Some("localhost".into());
    }
    host.clone().unwrap_or_default()
}

/// Asks twice, and gets the same.
pub fn address() -> (String, String) {
    (host(), host())
}

pub fn use_host(name: &str) -> bool {
    let mut host = HOST.lock().unwrap();
    match *host {
        None => {
            *host = Some(name.to_string());
            true
        }
        Some(_) => false,
    }
}

/// A seed that the first one who needs it draws.
#[derive(Default)]
pub struct Dice {
    seed: RwLock<Option<u32>>,
}

impl Dice {
    fn seed(&self) -> u32 {
        if let Some(seed) = *self.seed.read().unwrap() {
            return seed;
        }
        let mut seed = self.seed.write().unwrap();
        if seed.is_none() {
            *seed = Some(std::process::id());
        }
        seed.unwrap_or(0)
    }

    pub fn throw(&self) -> u32 {
        self.seed() % 6 + self.seed() % 8
    }
}

/// The first name stays.
#[derive(Default)]
pub struct Boat {
    name: Mutex<Option<String>>,
}

impl Boat {
    pub fn christen(&self, name: &str) {
        let mut known = self.name.lock().unwrap();
        if known.is_some() {
            return;
        }
        *known = Some(name.to_string());
    }

    pub fn register(&self, name: &str) -> bool {
        self.christen(name);
        self.name.lock().unwrap().is_some()
    }
}

/// Whoever comes stores anew: two looks see different ones, which is worth a note.
static PORT: Mutex<Option<u16>> = Mutex::new(None);

fn port() -> u16 {
    PORT.lock().unwrap().unwrap_or(80)
}

pub fn ends() -> (u16, u16) {
    (port(), port())
}

pub fn use_port(number: u16) {
    *PORT.lock().unwrap() = Some(number);
}

/// Set once, but emptied again.
#[derive(Default)]
pub struct Stage {
    star: Mutex<Option<u8>>,
}

impl Stage {
    pub fn star(&self, singer: u8) -> u8 {
        let mut star = self.star.lock().unwrap();
        if star.is_none() {
            *star = Some(singer);
        }
        star.unwrap_or(singer)
    }

    pub fn leave(&self) {
        *self.star.lock().unwrap() = None;
    }

    pub fn duet(&self, one: u8, other: u8) -> u8 {
        let empty = self.star.lock().unwrap().is_none(); //~
        if empty {
            *self.star.lock().unwrap() = Some(one); //~
            return one;
        }
        other
    }
}

/// Looked at under one lock, set under the next, whatever came in between.
#[derive(Default)]
pub struct Flag {
    pattern: Mutex<Option<String>>,
}

impl Flag {
    pub fn hoist(&self, pattern: &str) -> bool {
        if self.pattern.lock().unwrap().is_some() { //~
            return false;
        }
        *self.pattern.lock().unwrap() = Some(pattern.to_string()); //~
        true
    }
}

thread_local! {
    static SCRATCH: RefCell<Option<u8>> = const { RefCell::new(None) };
}

/// Everyone's own.
pub fn scratch(byte: u8) -> u8 {
    SCRATCH.with(|scratch| *scratch.borrow_mut().get_or_insert(byte))
}

/// A cell that was found full is full for good: what is noted because of that cannot come before somebody fills it.
#[derive(Default)]
pub struct Route {
    from: std::sync::OnceLock<u32>,
    failed: Mutex<Option<String>>,
}

impl Route {
    pub fn start(&self, from: u32) -> Result<(), String> {
        if self.from.set(from).is_err() {
            *self.failed.lock().unwrap() = Some("started already".into());
            return Err("started already".into());
        }
        Ok(())
    }

    pub fn failed(&self) -> Option<String> {
        self.failed.lock().unwrap().clone()
    }
}

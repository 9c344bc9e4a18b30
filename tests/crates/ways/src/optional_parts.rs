//! Options of many types within what a function is lent: what is in the one is not in the other.

use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct Parts {
    year: Option<u32>,
    name: Option<String>,
    zone: Option<&'static str>,
    note: Option<Box<u64>>,
}

#[derive(Default)]
pub struct Cached {
    key: u64,
    parts: Option<Parts>,
}

impl Cached {
    fn fill(&mut self, key: u64) -> &mut Parts {
        if self.key != key {
            self.parts = Some(Parts::default());
            self.key = key;
        }
        self.parts.get_or_insert_with(Parts::default)
    }
}

static CACHED: Mutex<Cached> = Mutex::new(Cached { key: 0, parts: None });
static FORMATTED: Mutex<u64> = Mutex::new(0);

pub struct Locked<'a> {
    cached: MutexGuard<'a, Cached>,
    nanos: u32,
}

pub struct Context<'a> {
    parts: Option<&'a mut Parts>,
    locked: Option<Locked<'a>>,
}

pub fn format(context: &mut Context, key: u64) -> Option<u32> {
    let formatted = *FORMATTED.lock().unwrap(); //~
    *FORMATTED.lock().unwrap() = formatted * 2 + 1; //~
    match context.parts.as_mut() {
        Some(parts) => parts.year,
        None => CACHED.lock().unwrap().fill(key).year,
    }
}

//! Values behind a trait that have others behind it: whichever of them each is, there are more ways down than can be told apart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

pub trait Store: Send + Sync {
    fn get(&self, key: u32) -> Option<u64>;
    fn put(&self, key: u32, value: u64);
}

#[derive(Default)]
pub struct Memory {
    entries: Mutex<HashMap<u32, u64>>,
}

impl Store for Memory {
    fn get(&self, key: u32) -> Option<u64> {
        self.entries.lock().unwrap().get(&key).copied()
    }

    fn put(&self, key: u32, value: u64) {
        self.entries.lock().unwrap().insert(key, value);
    }
}

macro_rules! layers {
    ($($name:ident),*) => {$(
        pub struct $name {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for $name {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    )*};
}

layers!(Cached, Logged, Tallied, Sharded, Checked, Packed, Sealed, Mirrored, Retried, Limited, Timed, Traced);

#[derive(Default)]
pub struct Numbers {
    next: Mutex<HashMap<u32, u64>>,
}

impl Numbers {
    pub fn next(&self, name: u32, store: &dyn Store) -> u64 {
        let known = self.next.lock().unwrap().get(&name).copied(); //~
        let next = known.or_else(|| store.get(name)).unwrap_or_default() + 1;
        self.next.lock().unwrap().insert(name, next); //~
        next
    }

    pub fn next_at_once(&self, name: u32) -> u64 {
        let mut numbers = self.next.lock().unwrap();
        let next = numbers.get(&name).copied().unwrap_or_default() + 1;
        numbers.insert(name, next); //~
        next
    }
}

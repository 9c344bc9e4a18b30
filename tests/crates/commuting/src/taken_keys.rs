//! What was taken out of a queue is under a key that nobody else has taken out there, if each key is put in once.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Each loaf has a number of its own, and is in the oven under that until it is done.
#[derive(Debug, Default)]
pub struct Bakery {
    next: AtomicU64,
    waiting: Mutex<VecDeque<u64>>,
    oven: Mutex<HashMap<u64, String>>,
}

impl Bakery {
    pub fn order(&self) -> u64 {
        let loaf = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().unwrap().push_back(loaf);
        loaf
    }

    pub fn bake(&self, baker: &str) -> Option<u64> {
        let loaf = self.waiting.lock().unwrap().pop_front()?;
        self.oven.lock().unwrap().insert(loaf, baker.to_owned());
        println!("{loaf}");
        self.oven.lock().unwrap().remove(&loaf);
        Some(loaf)
    }

    /// The next one, if there is one.
    fn next(&self) -> Option<u64> {
        let loaf = self.waiting.lock().unwrap().pop_front()?;
        println!("{loaf}");
        Some(loaf)
    }

    pub fn bake_all(&self, baker: &str) {
        while let Some(loaf) = self.next() {
            self.oven.lock().unwrap().insert(loaf, baker.to_owned());
            println!("{loaf}");
            self.oven.lock().unwrap().remove(&loaf);
        }
    }

    pub fn cancel(&self, loaf: u64) -> bool {
        let mut waiting = self.waiting.lock().unwrap();
        let Some(at) = waiting.iter().position(|other| *other == loaf) else { return false };
        waiting.remove(at);
        true
    }
}

/// Loaves that are not done are put back while they are still in the oven: the next baker finds the same one.
#[derive(Debug, Default)]
pub struct Hearth {
    next: AtomicU64,
    waiting: Mutex<VecDeque<u64>>,
    oven: Mutex<HashMap<u64, String>>,
}

impl Hearth {
    pub fn order(&self) -> u64 {
        let loaf = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().unwrap().push_back(loaf);
        loaf
    }

    pub fn bake(&self, baker: &str) -> Option<u64> {
        let loaf = self.waiting.lock().unwrap().pop_front()?;
        self.oven.lock().unwrap().insert(loaf, baker.to_owned()); //~
        if baker.is_empty() {
            self.waiting.lock().unwrap().push_back(loaf);
        }
        self.oven.lock().unwrap().remove(&loaf); //~
        Some(loaf)
    }
}

/// Whoever asks says which loaf: two may be for one.
#[derive(Debug, Default)]
pub struct Kiln {
    waiting: Mutex<VecDeque<u64>>,
    oven: Mutex<HashMap<u64, String>>,
}

impl Kiln {
    pub fn order(&self, loaf: u64) {
        self.waiting.lock().unwrap().push_back(loaf);
    }

    pub fn bake(&self, baker: &str) -> Option<u64> {
        let loaf = self.waiting.lock().unwrap().pop_front()?;
        self.oven.lock().unwrap().insert(loaf, baker.to_owned()); //~
        println!("{loaf}");
        self.oven.lock().unwrap().remove(&loaf); //~
        Some(loaf)
    }
}

#[derive(Debug)]
pub struct Cake {
    number: u64,
    table: u32,
}

/// The cake has a number of its own, and the table that it is for has others. That is a note: nobody but another `serve` is seen to come
/// between, and most that one event does twice is each one's own.
#[derive(Debug, Default)]
pub struct Cafe {
    next: AtomicU64,
    waiting: Mutex<VecDeque<Cake>>,
    tables: Mutex<HashMap<u32, u64>>,
}

impl Cafe {
    pub fn order(&self, table: u32) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().unwrap().push_back(Cake { number, table });
        number
    }

    pub fn serve(&self) -> Option<u64> {
        let cake = self.waiting.lock().unwrap().pop_front()?;
        self.tables.lock().unwrap().insert(cake.table, cake.number);
        println!("{}", cake.number);
        self.tables.lock().unwrap().remove(&cake.table);
        Some(cake.number)
    }
}

/// Under its number it is nobody else's.
#[derive(Debug, Default)]
pub struct Counter {
    next: AtomicU64,
    waiting: Mutex<VecDeque<Cake>>,
    trays: Mutex<HashMap<u64, u32>>,
}

impl Counter {
    pub fn order(&self, table: u32) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().unwrap().push_back(Cake { number, table });
        number
    }

    pub fn serve(&self) -> Option<u64> {
        let cake = self.waiting.lock().unwrap().pop_front()?;
        self.trays.lock().unwrap().insert(cake.number, cake.table);
        println!("{}", cake.number);
        self.trays.lock().unwrap().remove(&cake.number);
        Some(cake.number)
    }
}

/// Who has ordered a loaf knows its number, too, and may take it out of the oven and put another one in.
#[derive(Debug, Default)]
pub struct Stove {
    next: AtomicU64,
    waiting: Mutex<VecDeque<u64>>,
    oven: Mutex<HashMap<u64, String>>,
}

impl Stove {
    pub fn order(&self) -> u64 {
        let loaf = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().unwrap().push_back(loaf);
        loaf
    }

    pub fn bake(&self, baker: &str) -> Option<u64> {
        let loaf = self.waiting.lock().unwrap().pop_front()?;
        self.oven.lock().unwrap().insert(loaf, baker.to_owned()); //~
        println!("{loaf}");
        self.oven.lock().unwrap().remove(&loaf); //~
        Some(loaf)
    }

    pub fn bake_anew(&self, loaf: u64, baker: &str) {
        self.oven.lock().unwrap().insert(loaf, baker.to_owned()); //~
    }
}

//! One of several objects: the lock and the data behind it are of the same one.
use std::sync::{Arc, Mutex, RwLock};

static NORTH: Mutex<i64> = Mutex::new(0);
static SOUTH: Mutex<i64> = Mutex::new(0);
static EAST: Mutex<i64> = Mutex::new(0);
static WEST: Mutex<i64> = Mutex::new(0);
static UP: Mutex<i64> = Mutex::new(0);
static DOWN: Mutex<i64> = Mutex::new(0);

fn side(name: &str) -> &'static Mutex<i64> {
    match name {
        "n" => &NORTH,
        "s" => &SOUTH,
        "e" => &EAST,
        "w" => &WEST,
        "u" => &UP,
        _ => &DOWN,
    }
}

/// All six of them count.
pub fn turn(name: &str, by: i64) {
    *side(name).lock().unwrap() = by;
}

pub fn north() -> i64 {
    let first = *NORTH.lock().unwrap(); //~
    first - *NORTH.lock().unwrap() //~
}

pub fn down() -> i64 {
    let first = *DOWN.lock().unwrap(); //~
    first - *DOWN.lock().unwrap() //~
}

/// Which shelf it is was decided before.
#[derive(Default)]
pub struct Shelves {
    wide: RwLock<Vec<String>>,
    narrow: RwLock<Vec<String>>,
    lowest: Mutex<u32>,
    highest: Mutex<u32>,
}

impl Shelves {
    pub fn put(&self, book: &str) {
        let shelf = if book.len() > 20 { &self.wide } else { &self.narrow };
        let mut shelf = shelf.write().unwrap();
        if !shelf.iter().any(|known| known == book) {
            shelf.insert(0, book.to_owned());
        }
    }

    /// The guard outlives the branch that took it.
    pub fn squeeze(&self, low: bool) {
        let mut number = match low {
            true => self.lowest.lock().unwrap(),
            false => self.highest.lock().unwrap(),
        };
        let seen = *number;
        *number = seen * 3;
    }
}

/// Looked at under one lock, changed under another.
#[derive(Default)]
pub struct Halves {
    left: Mutex<u64>,
    right: Mutex<u64>,
}

impl Halves {
    fn half(&self, left: bool) -> &Mutex<u64> {
        if left { &self.left } else { &self.right }
    }

    pub fn grow(&self, left: bool) {
        let half = self.half(left);
        let seen = *half.lock().unwrap(); //~
        *half.lock().unwrap() = seen * 2 + 1; //~
    }
}

/// A clone of a pointer is another pointer to the same.
#[derive(Default)]
pub struct Ends {
    head: Arc<Mutex<u64>>,
    tail: Arc<Mutex<u64>>,
}

impl Ends {
    pub fn stretch(&self, tail: bool) {
        let end = if tail { self.tail.clone() } else { self.head.clone() };
        let mut length = end.lock().unwrap();
        let seen = *length;
        *length = seen * 5 + 2;
    }
}

//! A look at an entry is about what is under its key. Whether it says something of another variable is another question.
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

/// Who is there, and who hears what is said: the two have nothing to do with one another.
#[derive(Default)]
pub struct Lobby {
    banned: Mutex<HashSet<String>>,
    lines: Mutex<Vec<String>>,
}

impl Lobby {
    pub fn ban(&self, name: &str) {
        self.say("somebody has to go");
        self.banned.lock().unwrap().insert(name.to_owned());
    }

    pub fn speak(&self, name: &str, text: &str) {
        if self.banned.lock().unwrap().contains(name) {
            return;
        }
        self.say(text);
    }

    fn say(&self, text: &str) {
        let mut lines = self.lines.lock().unwrap();
        if lines.len() > 100 {
            lines.clear();
        }
        lines.push(text.to_owned());
    }
}

/// What is taken out of one goes into the other: they have to agree.
#[derive(Default)]
pub struct Store {
    files: Mutex<HashMap<String, Vec<u8>>>,
    used: Mutex<usize>,
}

impl Store {
    pub fn clear(&self) {
        self.files.lock().unwrap().clear(); //~
        *self.used.lock().unwrap() = 0; //~
    }

    pub fn remove(&self, name: &str) {
        let old = self.files.lock().unwrap().remove(name); //~
        if let Some(old) = old {
            *self.used.lock().unwrap() -= old.len(); //~
        }
    }
}

/// Two collections with the same keys.
#[derive(Default)]
pub struct Rooms {
    open: Mutex<HashSet<u32>>,
    guests: Mutex<HashMap<u32, String>>,
}

impl Rooms {
    pub fn enter(&self, room: u32, guest: String) {
        if !self.open.lock().unwrap().contains(&room) { //~
            return;
        }
        self.guests.lock().unwrap().insert(room, guest); //~
    }

    pub fn close(&self, room: u32) {
        self.open.lock().unwrap().remove(&room); //~
        self.guests.lock().unwrap().remove(&room); //~
    }
}

/// Whether it is closed is said of all of it.
#[derive(Default)]
pub struct Queue {
    closed: Mutex<bool>,
    waiting: Mutex<Vec<u32>>,
}

impl Queue {
    pub fn close(&self) {
        *self.closed.lock().unwrap() = true; //~
        self.waiting.lock().unwrap().clear(); //~
    }

    pub fn put(&self, work: u32) {
        if *self.closed.lock().unwrap() { //~
            return;
        }
        self.waiting.lock().unwrap().push(work); //~
    }
}

#[derive(Default)]
struct Table {
    index: HashMap<String, usize>,
    nodes: Vec<Option<u64>>,
}

/// A look with the read lock, and all of it again with the write lock.
#[derive(Default)]
pub struct Cache {
    table: RwLock<Table>,
    hits: AtomicUsize,
}

impl Cache {
    pub fn get(&self, name: &str, now: u64) -> Option<u64> {
        {
            let table = self.table.read().unwrap();
            let at = *table.index.get(name)?;
            let until = table.nodes[at].unwrap();
            if until > now {
                self.hits.fetch_add(1, Ordering::Relaxed);
                return Some(until);
            }
        }
        let mut table = self.table.write().unwrap();
        if let Some(&at) = table.index.get(name) {
            if table.nodes[at].unwrap() <= now {
                table.index.remove(name);
                table.nodes[at] = None;
            }
        }
        None
    }

    pub fn put(&self, name: &str, until: u64) {
        let mut table = self.table.write().unwrap();
        let at = table.nodes.len();
        table.nodes.push(Some(until));
        table.index.insert(name.to_owned(), at);
    }

    pub fn clear(&self) {
        let mut table = self.table.write().unwrap();
        table.index.clear();
        table.nodes.clear();
    }

    /// The place is from before.
    pub fn peek(&self, name: &str) -> Option<u64> {
        let at = *self.table.read().unwrap().index.get(name)?; //~
        self.table.read().unwrap().nodes[at] //~
    }
}

/// Who has seen that there is one takes it for granted.
#[derive(Default)]
pub struct Prices {
    all: RwLock<HashMap<String, u64>>,
}

impl Prices {
    pub fn forget(&self, name: &str) {
        self.all.write().unwrap().remove(name); //~
    }

    pub fn of(&self, name: &str) -> u64 {
        if !self.all.read().unwrap().contains_key(name) { //~
            return 0;
        }
        *self.all.read().unwrap().get(name).unwrap() //~
    }
}

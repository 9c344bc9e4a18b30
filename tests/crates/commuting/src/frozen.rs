//! What nobody changes after it was made is the same for all who have to do with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};

/// It is made one way or the other: nobody puts lines in where somebody looks whether there are none.
pub struct Logger {
    block: bool,
    lines: Mutex<Vec<u32>>,
    idle: AtomicBool,
}

impl Logger {
    pub fn new(block: bool) -> Logger {
        Logger { block, lines: Mutex::new(Vec::new()), idle: AtomicBool::new(true) }
    }

    pub fn log(&self, line: u32) {
        if self.block {
            if self.lines.lock().unwrap().is_empty() {
                self.idle.store(true, Ordering::SeqCst);
            }
        } else {
            self.lines.lock().unwrap().push(line);
            self.idle.store(false, Ordering::SeqCst);
        }
    }

    pub fn idle(&self) -> bool {
        self.idle.load(Ordering::SeqCst)
    }
}

/// One that is switched meanwhile.
pub struct Switched {
    block: AtomicBool,
    lines: Mutex<Vec<u32>>,
    idle: AtomicBool,
}

impl Switched {
    pub fn switch(&self, block: bool) {
        self.block.store(block, Ordering::SeqCst);
    }

    pub fn log(&self, line: u32) {
        if self.block.load(Ordering::SeqCst) {
            if self.lines.lock().unwrap().is_empty() { //~
                self.idle.store(true, Ordering::SeqCst); //~
            }
        } else {
            self.lines.lock().unwrap().push(line); //~
            self.idle.store(false, Ordering::SeqCst); //~
        }
    }

    pub fn idle(&self) -> bool {
        self.idle.load(Ordering::SeqCst)
    }
}

/// Several share lines, each with a way of its own.
#[derive(Clone)]
pub struct Handle {
    block: bool,
    lines: Arc<Mutex<Vec<u32>>>,
    idle: Arc<AtomicBool>,
}

impl Handle {
    pub fn with(&self, block: bool) -> Handle {
        Handle { block, ..self.clone() }
    }

    pub fn log(&self, line: u32) {
        if self.block {
            if self.lines.lock().unwrap().is_empty() { //~
                self.idle.store(true, Ordering::SeqCst); //~
            }
        } else {
            self.lines.lock().unwrap().push(line); //~
            self.idle.store(false, Ordering::SeqCst); //~
        }
    }

    pub fn idle(&self) -> bool {
        self.idle.load(Ordering::SeqCst)
    }
}

/// How a pool does its work.
pub enum Mode {
    Queued,
    Direct,
}

struct Shared {
    mode: Mode,
    jobs: Mutex<Vec<u32>>,
    none: AtomicBool,
}

/// All handles of one have what they share.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

impl Pool {
    pub fn new(mode: Mode) -> Pool {
        Pool(Arc::new(Shared { mode, jobs: Mutex::new(Vec::new()), none: AtomicBool::new(true) }))
    }

    pub fn add(&self, job: u32) {
        match self.0.mode {
            Mode::Direct => {
                if self.0.jobs.lock().unwrap().is_empty() {
                    self.0.none.store(true, Ordering::SeqCst);
                }
            }
            Mode::Queued => {
                self.0.jobs.lock().unwrap().push(job);
                self.0.none.store(false, Ordering::SeqCst);
            }
        }
    }

    pub fn none(&self) -> bool {
        self.0.none.load(Ordering::SeqCst)
    }
}

/// A pool whose way is in a lock.
pub struct Turned {
    mode: Mutex<Mode>,
    jobs: Mutex<Vec<u32>>,
    none: AtomicBool,
}

impl Turned {
    pub fn turn(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }

    pub fn add(&self, job: u32) {
        let direct = matches!(*self.mode.lock().unwrap(), Mode::Direct);
        if direct {
            if self.jobs.lock().unwrap().is_empty() { //~
                self.none.store(true, Ordering::SeqCst); //~
            }
        } else {
            self.jobs.lock().unwrap().push(job); //~
            self.none.store(false, Ordering::SeqCst); //~
        }
    }

    pub fn none(&self) -> bool {
        self.none.load(Ordering::SeqCst)
    }
}

/// Only who is strict looks, and only who is not goes by it.
pub struct Room {
    strict: bool,
    guests: Mutex<Vec<u32>>,
}

impl Room {
    pub fn enter(&self, guest: u32) -> bool {
        let free = if self.strict { self.guests.lock().unwrap().is_empty() } else { true };
        if !self.strict && free {
            self.guests.lock().unwrap().push(guest);
            return true;
        }
        false
    }
}

/// Who is strict goes by what it saw.
pub struct Cell {
    strict: bool,
    guests: Mutex<Vec<u32>>,
}

impl Cell {
    pub fn enter(&self, guest: u32) -> bool {
        let free = if self.strict { self.guests.lock().unwrap().is_empty() } else { true }; //~
        if free {
            self.guests.lock().unwrap().push(guest); //~
            return true;
        }
        false
    }
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Plain,
    Sorted,
}

pub struct Config {
    kind: Kind,
}

struct Inner {
    config: Config,
    items: Mutex<Vec<u32>>,
    none: AtomicBool,
}

/// What is configured is a part of a part, and asked for in other ways.
#[derive(Clone)]
pub struct List {
    inner: Arc<Inner>,
}

impl List {
    pub fn new(config: Config) -> List {
        let (items, none) = (Mutex::new(Vec::new()), AtomicBool::new(true));
        List { inner: Arc::new(Inner { config, items, none }) }
    }

    pub fn add(&self, item: u32) {
        if self.inner.config.kind == Kind::Sorted {
            self.inner.items.lock().unwrap().push(item);
            self.inner.none.store(false, Ordering::SeqCst);
        }
    }

    pub fn trim(&self) {
        let plain = matches!(self.inner.config.kind, Kind::Plain);
        if plain && self.inner.items.lock().unwrap().is_empty() {
            self.inner.none.store(true, Ordering::SeqCst);
        }
    }

    pub fn none(&self) -> bool {
        self.inner.none.load(Ordering::SeqCst)
    }
}

/// The same where another configuration may be put in.
pub struct Configured {
    config: RwLock<Arc<Config>>,
    items: Mutex<Vec<u32>>,
    none: AtomicBool,
}

impl Configured {
    pub fn configure(&self, config: Config) {
        *self.config.write().unwrap() = Arc::new(config);
    }

    pub fn add(&self, item: u32) {
        if self.config.read().unwrap().kind == Kind::Sorted {
            self.items.lock().unwrap().push(item); //~
            self.none.store(false, Ordering::SeqCst); //~
        }
    }

    pub fn trim(&self) {
        let plain = matches!(self.config.read().unwrap().kind, Kind::Plain);
        if plain && self.items.lock().unwrap().is_empty() { //~
            self.none.store(true, Ordering::SeqCst); //~
        }
    }

    pub fn none(&self) -> bool {
        self.none.load(Ordering::SeqCst)
    }
}

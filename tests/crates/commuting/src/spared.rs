//! What is stored only where something else is there is as good as stored each time.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, RwLock};

/// Nothing but the store goes by what was seen, whoever raises the mark meanwhile.
#[derive(Default)]
pub struct Page {
    stale: AtomicBool,
    text: Mutex<String>,
}

impl Page {
    pub fn write(&self, text: &str) {
        self.text.lock().unwrap().push_str(text);
        self.stale.store(true, Ordering::SeqCst);
    }

    pub fn refresh(&self) {
        if self.stale.load(Ordering::SeqCst) {
            self.stale.store(false, Ordering::SeqCst);
        }
    }

    pub fn is_stale(&self) -> bool {
        self.stale.load(Ordering::SeqCst)
    }
}

#[derive(Default)]
struct Belt {
    halted: bool,
    boxes: u32,
}

/// In a lock, by functions of its own, and under two kinds of guards.
#[derive(Default)]
pub struct Line {
    belt: Mutex<Belt>,
    open: RwLock<bool>,
    lost: AtomicU32,
}

impl Line {
    pub fn halt(&self) {
        let mut belt = self.belt.lock().unwrap();
        belt.halted = true;
        belt.boxes += 1;
    }

    fn is_halted(&self) -> bool {
        self.belt.lock().unwrap().halted
    }

    fn start(&self) {
        self.belt.lock().unwrap().halted = false;
    }

    pub fn go_on(&self) {
        if self.is_halted() {
            self.start();
        }
    }

    pub fn open(&self) {
        let open = *self.open.read().unwrap();
        if !open {
            *self.open.write().unwrap() = true;
        }
    }

    pub fn close(&self) {
        *self.open.write().unwrap() = false;
    }

    pub fn lose(&self) {
        self.lost.fetch_add(1, Ordering::SeqCst);
    }

    pub fn forget(&self) {
        if self.lost.load(Ordering::SeqCst) != 0 {
            self.lost.store(0, Ordering::SeqCst);
        }
    }

    pub fn state(&self) -> (bool, u32) {
        (*self.open.read().unwrap(), self.lost.load(Ordering::SeqCst))
    }
}

/// Something else goes by what was seen.
#[derive(Default)]
pub struct Draft {
    stale: AtomicBool,
    saved: AtomicU32,
}

impl Draft {
    pub fn touch(&self) {
        self.stale.store(true, Ordering::SeqCst);
    }

    pub fn save(&self) {
        if self.stale.load(Ordering::SeqCst) { //~
            self.saved.fetch_add(1, Ordering::SeqCst);
            self.stale.store(false, Ordering::SeqCst); //~
        }
    }

    pub fn saved(&self) -> u32 {
        self.saved.load(Ordering::SeqCst)
    }
}

/// What is stored is not what was there where nothing is stored.
#[derive(Default)]
pub struct Gauge {
    level: Mutex<u32>,
}

impl Gauge {
    pub fn rise(&self) {
        *self.level.lock().unwrap() += 1;
    }

    pub fn refill(&self) {
        let level = *self.level.lock().unwrap(); //~
        if level == 0 {
            *self.level.lock().unwrap() = 9; //~
        }
    }

    pub fn level(&self) -> u32 {
        *self.level.lock().unwrap()
    }
}

/// Both ways something is stored.
#[derive(Default)]
pub struct Lamp {
    on: Mutex<bool>,
}

impl Lamp {
    pub fn toggle(&self) {
        let on = *self.on.lock().unwrap(); //~
        if on {
            *self.on.lock().unwrap() = false;
        } else {
            *self.on.lock().unwrap() = true; //~
        }
    }

    pub fn is_on(&self) -> bool {
        *self.on.lock().unwrap()
    }
}

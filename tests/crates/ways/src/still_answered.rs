//! A look that only asks something of a number has been answered the same, whatever has been stored since of which that is so, too.

use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

const FRESH: u8 = 0;
const WORN: u8 = 1;
const BROKEN: u8 = 2;

/// Whoever wears it leaves it unbroken.
pub struct Boot {
    state: AtomicU8,
    soles: RwLock<Vec<u32>>,
}

impl Boot {
    pub fn new() -> Boot {
        Boot { state: AtomicU8::new(FRESH), soles: RwLock::default() }
    }

    pub fn wear(&self, sole: u32) {
        if self.state.load(SeqCst) != BROKEN {
            self.soles.write().unwrap().push(sole);
            self.state.store(WORN, SeqCst);
        }
    }

    pub fn is_fresh(&self) -> bool {
        matches!(self.state.load(SeqCst), FRESH)
    }
}

/// Whoever breaks it is not seen by whoever has looked before: it is worn again.
pub struct Shoe {
    state: AtomicU8,
    soles: RwLock<Vec<u32>>,
}

impl Shoe {
    pub fn new() -> Shoe {
        Shoe { state: AtomicU8::new(FRESH), soles: RwLock::default() }
    }

    pub fn wear(&self, sole: u32) {
        if self.state.load(SeqCst) != BROKEN { //~
            self.soles.write().unwrap().push(sole);
            self.state.store(WORN, SeqCst); //~
        }
    }

    pub fn tear(&self) {
        self.state.store(BROKEN, SeqCst); //~
    }
}

/// As high as the first step, or higher: all that anybody stores is.
pub struct Stairs {
    height: Mutex<u32>,
    steps: Mutex<Vec<u32>>,
}

impl Stairs {
    pub fn new() -> Stairs {
        Stairs { height: Mutex::new(1), steps: Mutex::default() }
    }

    pub fn lay(&self, step: u32) {
        let begun = *self.height.lock().unwrap() < 7;
        if begun {
            self.steps.lock().unwrap().push(step);
            *self.height.lock().unwrap() = 5;
        }
    }

    pub fn lower(&self) {
        *self.height.lock().unwrap() = 3;
    }
}

/// As it was asked first, it is no more once somebody has raised it.
pub struct Tower {
    height: Mutex<u32>,
    steps: Mutex<Vec<u32>>,
}

impl Tower {
    pub fn new() -> Tower {
        Tower { height: Mutex::new(1), steps: Mutex::default() }
    }

    pub fn lay(&self, step: u32) {
        let begun = *self.height.lock().unwrap() < 7; //~
        if begun {
            self.steps.lock().unwrap().push(step);
            *self.height.lock().unwrap() = 5; //~
        }
    }

    pub fn raise(&self) {
        *self.height.lock().unwrap() = 9; //~
    }
}

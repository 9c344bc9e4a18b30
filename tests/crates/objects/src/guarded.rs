//! What guards itself inside of something that is guarded: a lock in an option, in what another lock holds.

use std::sync::{Mutex, RwLock};

pub struct Line {
    out: Option<Mutex<Vec<u8>>>,
    width: usize,
}

impl Line {
    /// Cut to a half, in one critical section.
    fn cut(&self) -> usize {
        if let Some(out) = self.out.as_ref() {
            let mut out = out.lock().unwrap();
            let half = out.len() / 2;
            out.truncate(half);
        }
        self.width
    }

    /// Cut to what was a half.
    fn cut_late(&self) {
        if let Some(out) = self.out.as_ref() {
            let half = out.lock().unwrap().len() / 2; //~
            out.lock().unwrap().truncate(half); //~
        }
    }
}

/// Whoever looks at the line does not look at what is in its lock.
pub struct Wire {
    line: RwLock<Line>,
}

impl Wire {
    pub fn new() -> Wire {
        Wire { line: RwLock::new(Line { out: None, width: 0 }) }
    }

    pub fn cut(&self) -> usize {
        self.line.read().unwrap().cut()
    }

    pub fn replace(&self, out: Vec<u8>) {
        *self.line.write().unwrap() = Line { out: Some(Mutex::new(out)), width: 80 };
    }
}

/// The lock inside is released and taken again.
pub struct Cable {
    line: RwLock<Line>,
}

impl Cable {
    pub fn new(out: Vec<u8>) -> Cable {
        Cable { line: RwLock::new(Line { out: Some(Mutex::new(out)), width: 80 }) }
    }

    pub fn cut(&self) {
        self.line.read().unwrap().cut_late();
    }
}

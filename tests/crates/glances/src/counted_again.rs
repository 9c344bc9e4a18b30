//! A count that is taken at once, looked at as it is by then, and taken back where it is too much.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The look before is a quick way out: never more than so many get in.
pub struct Turnstile {
    most: usize,
    within: AtomicUsize,
}

pub struct Visitor<'a>(&'a Turnstile);

impl Turnstile {
    pub fn new(most: usize) -> Self {
        Turnstile { most, within: AtomicUsize::new(0) }
    }

    pub fn enter(&self) -> Option<Visitor<'_>> {
        if self.within.load(SeqCst) >= self.most {
            return None;
        }
        let count = self.within.fetch_add(1, SeqCst) + 1;
        if count <= self.most {
            Some(Visitor(self))
        } else {
            self.within.fetch_sub(1, SeqCst);
            None
        }
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        self.0.within.fetch_sub(1, SeqCst);
    }
}

/// What it is by then is told, and not gone by.
pub struct Door {
    most: usize,
    inside: AtomicUsize,
}

pub struct Guest<'a>(&'a Door, usize);

impl Door {
    pub fn new(most: usize) -> Self {
        Door { most, inside: AtomicUsize::new(0) }
    }

    pub fn enter(&self) -> Option<Guest<'_>> {
        if self.inside.load(SeqCst) >= self.most { //~
            return None;
        }
        let count = self.inside.fetch_add(1, SeqCst) + 1; //~
        Some(Guest(self, count))
    }
}

impl Guest<'_> {
    pub fn number(&self) -> usize {
        self.1
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, SeqCst);
    }
}

/// It is taken back, but not because of what it was by then.
pub struct Hatch {
    most: usize,
    gone: AtomicUsize,
}

impl Hatch {
    pub fn new(most: usize) -> Self {
        Hatch { most, gone: AtomicUsize::new(0) }
    }

    pub fn go(&self, really: bool) -> bool {
        if self.gone.load(SeqCst) >= self.most { //~
            return false;
        }
        self.gone.fetch_add(1, SeqCst); //~
        if !really {
            self.gone.fetch_sub(1, SeqCst);
        }
        really
    }
}

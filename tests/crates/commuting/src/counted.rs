//! What a counter had decides that it is set back: what others have counted by then is lost.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Whose turn it is.
pub struct Turns {
    next: AtomicUsize,
    names: Vec<String>,
}

impl Turns {
    pub fn new(names: Vec<String>) -> Turns {
        Turns { next: AtomicUsize::new(0), names }
    }

    pub fn name(&self) -> &str {
        let mut turn = self.next.fetch_add(1, SeqCst); //~
        if turn == self.names.len() {
            self.next.store(1, SeqCst); //~
            turn = 0;
        }
        &self.names[turn]
    }
}

/// The counter only ever grows.
pub struct Round {
    next: AtomicUsize,
    names: Vec<String>,
}

impl Round {
    pub fn new(names: Vec<String>) -> Round {
        Round { next: AtomicUsize::new(0), names }
    }

    pub fn name(&self) -> &str {
        let turn = self.next.fetch_add(1, SeqCst);
        &self.names[turn % self.names.len()]
    }
}

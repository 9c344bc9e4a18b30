//! Pointers of the standard library, in a crate that has a type of the same name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writers who all have one position.
#[derive(Default)]
pub struct Desk {
    position: Arc<AtomicUsize>,
}

pub struct Lease {
    position: Arc<AtomicUsize>,
}

impl Desk {
    pub fn lease(&self) -> Lease {
        Lease { position: Arc::clone(&self.position) }
    }
}

impl Lease {
    pub fn advance(&mut self) {
        let at = self.position.load(Ordering::SeqCst); //~
        self.position.store(at + 1, Ordering::SeqCst); //~
    }
}

/// Nobody else has the position.
pub struct Own {
    position: Arc<AtomicUsize>,
}

impl Own {
    pub fn new() -> Own {
        Own { position: Arc::new(AtomicUsize::new(0)) }
    }

    pub fn advance(&mut self) {
        let at = self.position.load(Ordering::SeqCst);
        self.position.store(at + 1, Ordering::SeqCst);
    }
}

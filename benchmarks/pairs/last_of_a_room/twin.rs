//! Who leaves learns from the subtraction itself whether anybody is left.
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
pub struct Room {
    inside: AtomicUsize,
}

impl Room {
    pub fn enter(&self) {
        self.inside.fetch_add(1, Ordering::SeqCst);
    }

    pub fn leave(&self) -> bool {
        self.inside.fetch_sub(1, Ordering::SeqCst) == 1
    }
}

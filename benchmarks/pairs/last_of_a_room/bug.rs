//! Who leaves makes the number less, and then looks whether anybody is left: two find that they were the last, and both are told to close the room.
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
        self.inside.fetch_sub(1, Ordering::SeqCst);
        self.inside.load(Ordering::SeqCst) == 0
    }
}

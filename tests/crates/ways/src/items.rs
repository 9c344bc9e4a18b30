//! What iterators give to closures.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

pub struct Slots {
    taken: Vec<AtomicBool>,
    free: Vec<AtomicBool>,
    uses: Vec<AtomicU32>,
}

impl Slots {
    /// Two may take one slot.
    pub fn take(&self) -> Option<usize> {
        self.taken.iter().position(|taken| {
            let is_free = !taken.load(SeqCst); //~
            if is_free {
                taken.store(true, SeqCst); //~
            }
            is_free
        })
    }

    pub fn leave(&self, slot: usize) {
        self.taken[slot].store(false, SeqCst); //~
    }

    /// Uses may be lost.
    pub fn use_few(&self) -> usize {
        let few = self.uses.iter().filter(|uses| {
            let before = uses.load(SeqCst); //~
            uses.store(before + 1, SeqCst); //~
            before < 10
        });
        few.count()
    }

    /// One of two takes it.
    pub fn take_at_once(&self) -> Option<usize> {
        self.free.iter().position(|free| free.swap(false, SeqCst))
    }
}

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

/// Items that are made as they are asked for.
#[derive(Default)]
pub struct Prices {
    seen: AtomicU32,
    drawn: AtomicU32,
}

struct Seen<'p>(&'p Prices, u32);

impl Iterator for Seen<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.1 = self.1.checked_sub(1)?;
        let price = self.0.seen.load(SeqCst); //~
        self.0.seen.store(price + 1, SeqCst); //~
        Some(price)
    }
}

struct Drawn<'p>(&'p Prices, u32);

impl Iterator for Drawn<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.1 = self.1.checked_sub(1)?;
        Some(self.0.drawn.fetch_add(1, SeqCst))
    }
}

impl Prices {
    /// A sum asks for each item.
    pub fn sum_seen(&self) -> u32 {
        Seen(self, 10).sum()
    }

    pub fn sum_drawn(&self) -> u32 {
        Drawn(self, 10).sum()
    }
}

//! Who leaves last, and who comes first: the operation that leaves, or comes, has to say so itself.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Party {
    guests: AtomicU32,
    ends: Mutex<u32>,
}

impl Party {
    pub fn enter(&self) {
        self.guests.fetch_add(1, SeqCst);
    }

    pub fn leave(&self) {
        self.guests.fetch_sub(1, SeqCst); //~
        if self.guests.load(SeqCst) == 0 { //~
            *self.ends.lock().unwrap() += 1;
        }
    }
}

#[derive(Default)]
pub struct PartyAtOnce {
    guests: AtomicU32,
    ends: Mutex<u32>,
}

impl PartyAtOnce {
    pub fn enter(&self) {
        self.guests.fetch_add(1, SeqCst);
    }

    pub fn leave(&self) {
        if self.guests.fetch_sub(1, SeqCst) == 1 {
            *self.ends.lock().unwrap() += 1;
        }
    }
}

/// What is looked at afterwards is told, and nothing is done because of it.
#[derive(Default)]
pub struct Counted {
    guests: AtomicU32,
}

impl Counted {
    pub fn enter(&self) {
        self.guests.fetch_add(1, SeqCst);
    }

    pub fn leave(&self) -> u32 {
        self.guests.fetch_sub(1, SeqCst);
        self.guests.load(SeqCst)
    }
}

pub struct Election {
    leader: AtomicU64,
}

impl Election {
    pub fn stand(&self, me: u64) -> bool {
        if self.leader.load(SeqCst) != 0 { //~
            return false;
        }
        self.leader.store(me, SeqCst); //~
        true
    }

    pub fn resign(&self, me: u64) -> bool {
        self.leader.compare_exchange(me, 0, SeqCst, SeqCst).is_ok()
    }
}

pub struct ElectionAtOnce {
    leader: AtomicU64,
}

impl ElectionAtOnce {
    pub fn stand(&self, me: u64) -> bool {
        self.leader.compare_exchange(0, me, SeqCst, SeqCst).is_ok()
    }

    pub fn resign(&self, me: u64) -> bool {
        self.leader.compare_exchange(me, 0, SeqCst, SeqCst).is_ok()
    }
}

/// Who has begun ends, whatever state others find meanwhile.
pub struct Phase {
    state: AtomicU32,
}

impl Phase {
    pub fn begin(&self) -> bool {
        self.state.compare_exchange(0, 1, SeqCst, SeqCst).is_ok()
    }

    pub fn end(&self) {
        if self.state.load(SeqCst) == 1 {
            self.state.store(2, SeqCst);
        }
    }
}

//! A permit bit and a count of broadcasts, packed into one word.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const PERMIT: usize = 1;
const BROADCAST: usize = 2;

#[derive(Default)]
pub struct Notify {
    state: AtomicUsize,
}

impl Notify {
    /// Leaves a permit for the next one who waits.
    pub fn notify_one(&self) {
        self.state.fetch_or(PERMIT, SeqCst);
    }

    /// Takes the permit, if there is one.
    pub fn try_take(&self) -> bool {
        self.state.fetch_and(!PERMIT, SeqCst) & PERMIT != 0
    }

    /// Counts a broadcast; nobody waits, so nobody has to be woken.
    pub fn notify_waiters(&self) {
        let state = self.state.load(SeqCst); //~ RACE
        self.state.store(state + BROADCAST, SeqCst); //~ RACE
    }
}

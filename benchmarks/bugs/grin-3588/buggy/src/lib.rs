//! Answers of a peer about the state of the chain.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
pub struct Protocol {
    state_sync_requested: AtomicBool,
    archives: AtomicUsize,
}

impl Protocol {
    /// Asks the peer for its state; one answer is expected.
    pub fn request_state(&self) {
        self.state_sync_requested.store(true, SeqCst);
    }

    /// The peer sent an archive; only one that was asked for is taken.
    pub fn on_archive(&self) -> Result<(), &'static str> {
        let requested = self.state_sync_requested.load(SeqCst); //~ RACE
        if !requested {
            return Err("not requested");
        }
        self.state_sync_requested.store(false, SeqCst); //~ RACE
        self.archives.fetch_add(1, SeqCst);
        Ok(())
    }
}

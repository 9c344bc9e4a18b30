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
        if self.state_sync_requested.compare_exchange(true, false, SeqCst, SeqCst).is_err() {
            return Err("not requested");
        }
        self.archives.fetch_add(1, SeqCst);
        Ok(())
    }
}

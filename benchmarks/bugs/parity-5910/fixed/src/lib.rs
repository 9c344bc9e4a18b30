//! Seals a block at most once per step.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
pub struct Engine {
    proposed: AtomicBool,
    issued: AtomicUsize,
}

impl Engine {
    /// A new step begins: a block may be proposed again.
    pub fn step(&self) {
        self.proposed.store(false, SeqCst);
    }

    /// A seal for the block, unless one was issued in this step.
    pub fn generate_seal(&self, block: u64) -> Option<u64> {
        let proposed = self.proposed.load(SeqCst);
        if proposed {
            return None;
        }
        let signature = sign(block);
        if self.proposed.compare_exchange(false, true, SeqCst, SeqCst).is_err() {
            return None;
        }
        self.issued.fetch_add(1, SeqCst);
        Some(signature)
    }
}

fn sign(block: u64) -> u64 {
    block.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

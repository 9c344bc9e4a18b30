//! Functions that call their closure with what they find, and return what it returns: where they return nothing, it did not run.

use dashmap::DashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// When each sensor may send again.
#[derive(Default)]
pub struct Sensors {
    next: DashMap<u32, AtomicU64>,
}

fn pass(next: &AtomicU64, now: u64) -> bool {
    let mut earlier = next.load(Ordering::SeqCst);
    while earlier <= now {
        match next.compare_exchange(earlier, now + 10, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return true,
            Err(other) => earlier = other,
        }
    }
    false
}

impl Sensors {
    /// What the closure looked at has no part in what is done where it did not run.
    pub fn admit(&self, sensor: u32, now: u64) -> bool {
        if let Some(passed) = self.next.view(&sensor, |_, next| pass(next, now)) {
            return passed;
        }
        let entry = self.next.entry(sensor).or_default();
        pass(&entry, now)
    }

    pub fn delay(&self, sensor: u32, by: u64) -> bool {
        self.next.view(&sensor, |_, next| next.fetch_add(by, Ordering::SeqCst)).is_some()
    }
}

/// Where each boat is.
#[derive(Default)]
pub struct Boats {
    at: scc::HashMap<u32, u64>,
}

impl Boats {
    /// The closure ran, and what is written goes by what it saw.
    pub fn sail(&self, boat: u32) {
        if let Some(at) = self.at.read_sync(&boat, |_, at| *at) { //~
            self.at.upsert_sync(boat, at + 1); //~
        }
    }

    /// It did not run, so there is nothing that this could go by but that there is none.
    pub fn launch(&self, boat: u32) {
        if self.at.read_sync(&boat, |_, at| *at).is_none() {
            let _ = self.at.insert_sync(boat, 0);
        }
    }
}

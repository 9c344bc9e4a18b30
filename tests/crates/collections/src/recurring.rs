//! What is made again and again, and kept where others find it: two accesses need not be to the same one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Whoever changes the two does so under the lock.
#[derive(Default)]
pub struct Range {
    gate: Mutex<()>,
    low: AtomicU32,
    high: AtomicU32,
}

impl Range {
    fn put(&self, low: u32) {
        let _gate = self.gate.lock().unwrap();
        self.low.store(low, Ordering::SeqCst); //~
        self.high.store(low + 1, Ordering::SeqCst); //~
    }

    fn low(&self) -> u32 {
        let _gate = self.gate.lock().unwrap();
        self.low.load(Ordering::SeqCst) //~
    }

    fn high(&self) -> u32 {
        let _gate = self.gate.lock().unwrap();
        self.high.load(Ordering::SeqCst) //~
    }
}

#[derive(Default)]
pub struct Sessions {
    all: Mutex<HashMap<u32, Arc<Range>>>,
    range: Range,
}

impl Sessions {
    /// Each call opens a session of its own.
    pub fn open(&self, id: u32) -> u32 {
        let session = Arc::new(Range::default());
        self.all.lock().unwrap().insert(id, session.clone());
        session.high() - session.low()
    }

    pub fn set_all(&self, low: u32) {
        for session in self.all.lock().unwrap().values() {
            session.put(low);
        }
    }

    /// There is one of these.
    pub fn size(&self) -> u32 {
        self.range.high() - self.range.low()
    }

    pub fn set(&self, low: u32) {
        self.range.put(low);
    }

    /// Nobody has got hold of it yet when it is set up.
    pub fn begin(&self, id: u32) {
        let session = Arc::new(Range::default());
        let low = session.low.load(Ordering::SeqCst);
        session.low.store(low + 1, Ordering::SeqCst);
        self.all.lock().unwrap().insert(id, session);
    }

    /// Others have found it by then.
    pub fn begin_late(&self, id: u32) {
        let session = Arc::new(Range::default());
        self.all.lock().unwrap().insert(id, session.clone());
        let low = session.low.load(Ordering::SeqCst); //~
        session.low.store(low + 1, Ordering::SeqCst); //~
    }
}

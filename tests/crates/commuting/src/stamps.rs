//! Who notes what time it is leaves what others who do so leave.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub struct Visit {
    seen: AtomicU64,
}

impl Visit {
    fn end(&self) {
        self.seen.store(seconds(), Ordering::Release);
    }
}

/// Whoever ends a visit, it was seen just now.
#[derive(Default)]
pub struct Visits {
    open: RwLock<HashMap<u64, Arc<Visit>>>,
}

impl Visits {
    pub fn begin(&self, id: u64) {
        let visit = Visit { seen: AtomicU64::new(seconds()) };
        self.open.write().unwrap().insert(id, Arc::new(visit));
    }

    pub fn end(&self, id: u64) {
        let visit = self.open.read().unwrap().get(&id).cloned();
        if let Some(visit) = visit {
            visit.end();
        }
    }

    pub fn remove(&self, id: u64) {
        let visit = self.open.write().unwrap().remove(&id);
        if let Some(visit) = visit {
            visit.end();
        }
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// What came meanwhile is thrown away, too.
pub struct Desk {
    seen: Mutex<Instant>,
    rows: Mutex<Vec<u32>>,
}

impl Desk {
    pub fn add(&self, row: u32) {
        self.rows.lock().unwrap().push(row);
        *self.seen.lock().unwrap() = Instant::now();
    }

    pub fn expire(&self) {
        let seen = *self.seen.lock().unwrap(); //~
        if seen.elapsed() > Duration::from_secs(60) {
            self.rows.lock().unwrap().clear(); //~
        }
    }

    pub fn rows(&self) -> usize {
        self.rows.lock().unwrap().len()
    }
}

/// What is noted is not the time of this call, but one that was seen before.
pub struct Best {
    least: Mutex<Duration>,
}

impl Best {
    pub fn note(&self, begun: Instant) {
        let took = begun.elapsed();
        if took < *self.least.lock().unwrap() { //~
            *self.least.lock().unwrap() = took; //~
        }
    }

    pub fn least(&self) -> Duration {
        *self.least.lock().unwrap()
    }
}

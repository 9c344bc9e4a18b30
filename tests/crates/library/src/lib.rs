//! Types that threads share, without any thread: their methods are events.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

/// One mutex per name: a miss under the read lock, then the write lock replaces what another thread put in meanwhile.
#[derive(Default)]
pub struct Locks {
    locks: Arc<RwLock<HashMap<String, Arc<Mutex<()>>>>>,
}

impl Locks {
    pub fn of(&self, name: &str) -> Arc<Mutex<()>> {
        if let Some(found) = self.locks.read().unwrap().get(name) {
            return found.clone();
        }
        let made = Arc::new(Mutex::new(()));
        self.locks.write().unwrap().insert(name.to_owned(), made.clone());
        made
    }
}

/// Numbers handed out, one by one.
#[derive(Default)]
pub struct Tickets {
    next: AtomicU64,
    open: Mutex<Vec<u64>>,
}

impl Tickets {
    pub fn take(&self) -> u64 {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        self.open.lock().unwrap().push(ticket);
        ticket
    }

    pub fn give_back(&self, ticket: u64) {
        self.open.lock().unwrap().retain(|open| *open != ticket);
    }
}

//! Types that threads share, without any thread: their methods are events.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

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

static NAMES: OnceLock<Arc<RwLock<Vec<String>>>> = OnceLock::new();

/// What is made when it is first needed is shared all the same: the name may be there by the time it is added.
pub fn register(name: &str) {
    let names = NAMES.get_or_init(|| Arc::new(RwLock::new(Vec::new())));
    if !names.read().unwrap().iter().any(|known| known == name) {
        names.write().unwrap().push(name.to_owned());
    }
}

/// How often each name was seen: what is written under the second lock was read under the first.
#[derive(Default)]
pub struct Counts {
    counts: Mutex<HashMap<String, u64>>,
}

impl Counts {
    pub fn add(&self, name: &str) {
        let known = self.counts.lock().unwrap().get(name).copied();
        if let (Some(known), Some(count)) = (known, self.counts.lock().unwrap().get_mut(name)) {
            *count = known + 1;
        }
    }
}

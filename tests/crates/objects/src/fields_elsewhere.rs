//! A struct of another crate, whose fields are locks and atomics that this one uses: each is a thing of its own.

use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, RwLock};

use sessions::State;

const FRESH: u8 = 0;
const CHANGED: u8 = 1;
const PURGED: u8 = 2;

/// What is purged comes back to life.
#[derive(Clone)]
pub struct Session {
    state: Arc<State>,
}

impl Session {
    pub fn new(name: &str) -> Session {
        let (status, entries) = (AtomicU8::new(FRESH), RwLock::default());
        Session { state: Arc::new(State { status, entries, name: name.to_owned() }) }
    }

    pub fn name(&self) -> &str {
        &self.state.name
    }

    pub fn set(&self, key: &str, value: &str) {
        if self.state.status.load(SeqCst) != PURGED { //~
            self.state.status.store(CHANGED, SeqCst); //~
            self.state.entries.write().unwrap().insert(key.to_owned(), value.to_owned());
        }
    }

    pub fn purge(&self) {
        self.state.status.store(PURGED, SeqCst); //~
    }
}

/// The status only says that something was changed, and what is in the entries is asked and changed under their own lock.
#[derive(Clone)]
pub struct Draft {
    state: Arc<State>,
}

impl Draft {
    pub fn new(name: &str) -> Draft {
        let (status, entries) = (AtomicU8::new(FRESH), RwLock::default());
        Draft { state: Arc::new(State { status, entries, name: name.to_owned() }) }
    }

    pub fn set(&self, key: &str, value: &str) {
        if self.state.status.load(SeqCst) == FRESH {
            self.state.entries.write().unwrap().entry(key.to_owned()).or_insert_with(|| value.to_owned());
        }
    }

    pub fn rename(&self, from: &str, to: &str) {
        let mut entries = self.state.entries.write().unwrap();
        if let Some(value) = entries.remove(from) {
            entries.insert(to.to_owned(), value);
        }
    }
}

//! A name is bound to an id before the entry of that id is there: who looks the name up in between relies on the entry (`unwrap`) and panics
//! (librefang pull request 4393, `AgentRegistry::register`).
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, RwLock};

pub struct Registry {
    next: AtomicU64,
    names: Mutex<HashMap<String, u64>>,
    agents: RwLock<HashMap<u64, String>>,
}

impl Registry {
    pub fn new() -> Self {
        Registry { next: AtomicU64::new(0), names: Default::default(), agents: Default::default() }
    }

    pub fn register(&self, name: String) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.names.lock().unwrap().insert(name.clone(), id); //~
        self.agents.write().unwrap().insert(id, name); //~
        id
    }

    pub fn find(&self, name: &str) -> Option<String> {
        let id = *self.names.lock().unwrap().get(name)?;
        Some(self.agents.read().unwrap().get(&id).cloned().unwrap())
    }
}

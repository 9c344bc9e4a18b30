//! Check and insertion under one guard.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

struct Registry {
    sessions: Mutex<HashMap<u32, String>>,
}

impl Registry {
    fn register(&self, id: u32, name: &str) -> bool {
        let mut sessions = self.sessions.lock().unwrap();
        if sessions.contains_key(&id) {
            return false;
        }
        sessions.insert(id, name.to_uppercase());
        true
    }
}

fn main() {
    let registry = Arc::new(Registry { sessions: Mutex::new(HashMap::new()) });
    let mut workers = vec![];
    for id in 0..3 {
        let registry = registry.clone();
        workers.push(thread::spawn(move || registry.register(id, "guest")));
    }
    for worker in workers {
        let _ = worker.join();
    }
}

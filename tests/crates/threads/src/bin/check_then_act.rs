//! The guard is let go between the check and the insertion.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

struct Registry {
    sessions: Mutex<HashMap<u32, String>>,
}

impl Registry {
    fn register(&self, id: u32, name: &str) -> bool {
        if self.sessions.lock().unwrap().contains_key(&id) {
            return false;
        }
        let name = name.to_uppercase();
        self.sessions.lock().unwrap().insert(id, name);
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

//! Under a key that was drawn there is nothing that others know of; what is in an entry is under its key.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Thread {
    turns: Vec<u32>,
}

/// A copy that was begun before a turn is as good as one that was made before it.
#[derive(Default)]
pub struct Copied {
    threads: Mutex<HashMap<u64, Thread>>,
    next: AtomicU64,
}

impl Copied {
    pub fn fork(&self, id: u64) -> Option<u64> {
        let source = self.threads.lock().unwrap().get(&id).cloned()?;
        let new = self.next.fetch_add(1, Ordering::Relaxed);
        self.threads.lock().unwrap().insert(new, source);
        Some(new)
    }

    pub fn turn(&self, id: u64, turn: u32) {
        if let Some(thread) = self.threads.lock().unwrap().get_mut(&id) {
            thread.turns.push(turn);
        }
    }

    pub fn turns(&self, id: u64) -> usize {
        self.threads.lock().unwrap().get(&id).map_or(0, |thread| thread.turns.len())
    }
}

/// The same key is put in again.
#[derive(Default)]
pub struct Replaced {
    threads: Mutex<HashMap<u64, Thread>>,
}

impl Replaced {
    pub fn cut(&self, id: u64) {
        let Some(mut thread) = self.threads.lock().unwrap().get(&id).cloned() else { return }; //~
        thread.turns.truncate(3);
        self.threads.lock().unwrap().insert(id, thread); //~
    }

    pub fn turn(&self, id: u64, turn: u32) {
        if let Some(thread) = self.threads.lock().unwrap().get_mut(&id) { //~
            thread.turns.push(turn); //~
        }
    }
}

/// A task that is handed its key, and goes by it in several functions.
#[derive(Default)]
pub struct Jobs {
    states: Mutex<HashMap<String, u32>>,
    next: AtomicU64,
}

impl Jobs {
    fn update(&self, id: &str, change: impl FnOnce(&mut u32)) {
        if let Some(state) = self.states.lock().unwrap().get_mut(id) {
            change(state);
        }
    }

    async fn run(self: Arc<Self>, id: String) {
        self.update(&id, |state| *state = 1);
        tokio::task::yield_now().await;
        self.update(&id, |state| *state = 2);
    }

    pub async fn start(self: Arc<Self>) -> String {
        let id = format!("job-{}", self.next.fetch_add(1, Ordering::Relaxed));
        self.states.lock().unwrap().insert(id.clone(), 0);
        tokio::spawn(self.clone().run(id.clone()));
        id
    }

    pub fn state(&self, id: &str) -> Option<u32> {
        self.states.lock().unwrap().get(id).copied()
    }
}

/// That an entry is made where none is says nothing of what is in one that is there.
#[derive(Default)]
pub struct Limits {
    used: Mutex<HashMap<String, u64>>,
}

impl Limits {
    fn used(&self, key: &str) -> u64 {
        self.used.lock().unwrap().get(key).copied().unwrap_or(0) //~
    }

    fn count(&self, key: &str) {
        *self.used.lock().unwrap().entry(key.to_string()).or_insert(0) += 1; //~
    }

    pub fn admit(&self, key: &str, most: u64) -> bool {
        if self.used(key) >= most {
            return false;
        }
        self.count(key);
        true
    }
}

#[derive(Default)]
pub struct LimitsAtOnce {
    used: Mutex<HashMap<String, u64>>,
}

impl LimitsAtOnce {
    pub fn admit(&self, key: &str, most: u64) -> bool {
        let mut used = self.used.lock().unwrap();
        let used = used.entry(key.to_string()).or_insert(0);
        if *used >= most {
            return false;
        }
        *used += 1;
        true
    }

    pub fn has(&self, key: &str) -> bool {
        self.used.lock().unwrap().get(key).copied().unwrap_or(0) > 0
    }
}

//! Who insists on what is only ever added finds it there still.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};

#[derive(Default)]
pub struct Keys {
    locks: RwLock<HashMap<String, Arc<Mutex<()>>>>,
    running: AtomicUsize,
    most: Mutex<usize>,
}

impl Keys {
    fn lock(&self, name: &str) -> Arc<Mutex<()>> {
        if !self.locks.read().unwrap().contains_key(name) {
            self.locks.write().unwrap().entry(name.to_string()).or_default();
        }
        self.locks.read().unwrap()[name].clone()
    }

    pub fn run(&self, name: &str, work: impl FnOnce()) {
        let lock = self.lock(name);
        let _guard = lock.lock().unwrap();
        self.running.fetch_add(1, Ordering::SeqCst);
        work();
        self.running.fetch_sub(1, Ordering::SeqCst);
        *self.most.lock().unwrap() += 1;
    }
}

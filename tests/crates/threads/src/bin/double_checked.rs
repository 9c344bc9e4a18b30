//! A cache: looked up under the read lock, looked up again under the write lock before it is filled.
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::thread;

#[derive(Default)]
struct Cache {
    entries: RwLock<HashMap<String, Arc<String>>>,
}

impl Cache {
    fn get(&self, key: &str) -> Arc<String> {
        if let Some(found) = self.entries.read().unwrap().get(key) {
            return found.clone();
        }
        let mut entries = self.entries.write().unwrap();
        if let Some(found) = entries.get(key) {
            return found.clone();
        }
        let made = Arc::new(key.to_uppercase());
        entries.insert(key.to_owned(), made.clone());
        made
    }
}

fn main() {
    let cache = Arc::new(Cache::default());
    for _ in 0..3 {
        let cache = cache.clone();
        thread::spawn(move || cache.get("key"));
    }
}

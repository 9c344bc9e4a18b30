//! A key is claimed by who fills a vacant entry, and given back by the `drop` of a guard.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

/// What is being loaded.
#[derive(Default)]
pub struct Loads {
    loading: Mutex<HashMap<u32, Arc<tokio::sync::Notify>>>,
    cache: Mutex<HashMap<u32, String>>,
}

/// Is there as long as somebody loads.
struct Loading {
    loads: Arc<Loads>,
    key: u32,
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.loads.loading.lock().unwrap().remove(&self.key);
    }
}

impl Loads {
    fn admit(self: &Arc<Self>, key: u32) -> Option<Loading> {
        match self.loading.lock().unwrap().entry(key) {
            Entry::Occupied(_) => None,
            Entry::Vacant(slot) => {
                slot.insert(Arc::default());
                Some(Loading { loads: self.clone(), key })
            }
        }
    }

    pub async fn get(self: &Arc<Self>, key: u32) -> Option<String> {
        let _loading = self.admit(key)?;
        if let Some(known) = self.cache.lock().unwrap().get(&key).cloned() {
            return Some(known);
        }
        tokio::task::yield_now().await;
        let loaded = format!("{key}");
        self.cache.lock().unwrap().insert(key, loaded.clone());
        Some(loaded)
    }
}

/// The same with a set.
#[derive(Default)]
pub struct Set {
    loading: Mutex<HashSet<u32>>,
    cache: Mutex<HashMap<u32, String>>,
}

struct Mark {
    of: Arc<Set>,
    key: u32,
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.of.loading.lock().unwrap().remove(&self.key);
    }
}

impl Set {
    fn admit(self: &Arc<Self>, key: u32) -> Option<Mark> {
        self.loading.lock().unwrap().insert(key).then(|| Mark { of: self.clone(), key })
    }

    pub async fn get(self: &Arc<Self>, key: u32) -> Option<String> {
        let _mark = self.admit(key)?;
        if let Some(known) = self.cache.lock().unwrap().get(&key).cloned() {
            return Some(known);
        }
        tokio::task::yield_now().await;
        let loaded = format!("{key}");
        self.cache.lock().unwrap().insert(key, loaded.clone());
        Some(loaded)
    }
}

/// Whether the key was free nobody asks.
#[derive(Default)]
pub struct Unasked {
    loading: Mutex<HashSet<u32>>,
    cache: Mutex<HashMap<u32, String>>,
}

struct Noted {
    of: Arc<Unasked>,
    key: u32,
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.of.loading.lock().unwrap().remove(&self.key);
    }
}

impl Unasked {
    pub async fn get(self: &Arc<Self>, key: u32) -> Option<String> {
        self.loading.lock().unwrap().insert(key);
        let _noted = Noted { of: self.clone(), key };
        if let Some(known) = self.cache.lock().unwrap().get(&key).cloned() { //~
            return Some(known);
        }
        tokio::task::yield_now().await;
        let loaded = self.next();
        self.cache.lock().unwrap().insert(key, loaded.clone()); //~
        Some(loaded)
    }

    fn next(&self) -> String {
        format!("{:?}", std::time::Instant::now())
    }
}

// moka 0.9.6 (#195): `init` could be evaluated twice, as the cache was not looked at again once the key's waiter was ours.
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

type Waiter<V> = Arc<RwLock<Option<V>>>;

pub struct Cache<K, V> { map: RwLock<HashMap<K, V>>, waiters: Mutex<HashMap<K, Waiter<V>>> }

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    pub fn new() -> Self { Cache { map: RwLock::new(HashMap::new()), waiters: Mutex::new(HashMap::new()) } }
    pub fn get(&self, key: &K) -> Option<V> { self.map.read().get(key).cloned() }
    pub fn invalidate(&self, key: &K) { self.map.write().remove(key); }
    pub fn get_with(&self, key: K, init: impl FnOnce() -> V) -> V {
        if let Some(value) = self.get(&key) { return value; } //~
        let waiter: Waiter<V> = Arc::new(RwLock::new(None));
        let mut slot = waiter.write();
        let other = {
            let mut waiters = self.waiters.lock();
            match waiters.get(&key) {
                Some(other) => Some(other.clone()),
                None => { waiters.insert(key.clone(), waiter.clone()); None }
            }
        };
        if let Some(other) = other {
            if let Some(value) = other.read().clone() { return value; }
        }
        let value = init();
        *slot = Some(value.clone());
        self.map.write().insert(key.clone(), value.clone()); //~
        self.waiters.lock().remove(&key);
        value
    }
}

// Repaired as in PR #195: the leader looks into the cache once more after its waiter is in; the one before it inserted the value before it took its waiter away, so there it is found, and `init` runs only if there really is no value.
use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::hash::Hash;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, RwLock};

enum WaiterValue<V> {
    Computing,
    Ready(V),
    InitPanicked,
}

type Waiter<V> = Arc<Mutex<WaiterValue<V>>>;

/// Makes concurrent calls for one key share a single evaluation.
struct ValueInitializer<K, V> {
    waiters: Mutex<HashMap<K, Waiter<V>>>,
}

impl<K: Hash + Eq + Clone, V: Clone> ValueInitializer<K, V> {
    fn init_or_read(&self, cache: &Cache<K, V>, key: &K, init: impl FnOnce() -> V) -> V {
        let waiter = Waiter::new(Mutex::new(WaiterValue::Computing));
        // Held while computing: the others wait for it.
        let mut value = waiter.lock().unwrap();
        loop {
            let theirs = match self.waiters.lock().unwrap().entry(key.clone()) {
                Entry::Occupied(other) => other.get().clone(),
                Entry::Vacant(slot) => {
                    slot.insert(waiter.clone());
                    break;
                }
            };
            let theirs = theirs.lock().unwrap();
            match &*theirs {
                WaiterValue::Ready(v) => return v.clone(),
                // The leader gave up: try to become the leader.
                WaiterValue::InitPanicked | WaiterValue::Computing => continue,
            }
        }
        // Now that nobody else can compute it: it may have been inserted meanwhile.
        if let Some(v) = cache.get(key) {
            *value = WaiterValue::Ready(v.clone());
            self.waiters.lock().unwrap().remove(key);
            return v;
        }
        match catch_unwind(AssertUnwindSafe(init)) {
            Ok(v) => {
                cache.insert(key.clone(), v.clone());
                *value = WaiterValue::Ready(v.clone());
                self.waiters.lock().unwrap().remove(key);
                v
            }
            Err(payload) => {
                *value = WaiterValue::InitPanicked;
                self.waiters.lock().unwrap().remove(key);
                drop(value);
                resume_unwind(payload)
            }
        }
    }
}

pub struct Cache<K, V> {
    map: RwLock<HashMap<K, V>>,
    initializer: ValueInitializer<K, V>,
}

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    pub fn new() -> Self {
        let initializer = ValueInitializer { waiters: Mutex::default() };
        Cache { map: RwLock::default(), initializer }
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.map.read().unwrap().get(key).cloned()
    }

    /// The cached value, or what `init` makes, which concurrent calls evaluate only once.
    pub fn get_with(&self, key: K, init: impl FnOnce() -> V) -> V {
        match self.get(&key) {
            Some(value) => value,
            None => self.initializer.init_or_read(self, &key, init),
        }
    }

    /// Only the leader of a key gets here.
    fn insert(&self, key: K, value: V) {
        self.map.write().unwrap().insert(key, value);
    }
}

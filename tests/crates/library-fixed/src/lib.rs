//! Types whose methods are as atomic as their callers need.
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, RwLock};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// A map in parts: which parts there are never changes, so looking for the right one is no access to what it holds.
pub struct Shards {
    shards: Box<[RwLock<HashMap<u64, String>>]>,
}

impl Shards {
    fn shard(&self, key: u64) -> &RwLock<HashMap<u64, String>> {
        let count = self.shards.len() as u64;
        &self.shards[(key % count) as usize]
    }

    pub fn insert(&self, key: u64, value: String) {
        self.shard(key).write().unwrap().insert(key, value);
    }

    pub fn get(&self, key: u64) -> Option<String> {
        self.shard(key).read().unwrap().get(&key).cloned()
    }

    /// The same as `get`.
    pub fn find(&self, key: u64) -> Option<String> {
        self.get(key)
    }
}

/// A value that is set once: a flag says how far that is, and `unsafe` code answers for it.
pub struct Slot {
    state: AtomicU8,
    value: UnsafeCell<Option<String>>,
}

unsafe impl Sync for Slot {}

impl Slot {
    pub fn new() -> Slot {
        let value = UnsafeCell::new(None);
        Slot { state: AtomicU8::new(0), value }
    }

    pub fn set(&self, value: String) -> bool {
        if self.state.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        unsafe { *self.value.get() = Some(value) };
        self.state.store(2, Ordering::Release);
        true
    }

    pub fn get(&self) -> Option<&String> {
        if self.state.load(Ordering::Acquire) != 2 {
            return None;
        }
        unsafe { (*self.value.get()).as_ref() }
    }
}

/// Something that happens once: the flag is false to begin with, and only the first call gets past it.
pub struct Trigger {
    done: AtomicBool,
    waiting: Mutex<Vec<u32>>,
}

impl Trigger {
    pub fn new() -> Trigger {
        Trigger { done: AtomicBool::new(false), waiting: Mutex::new(Vec::new()) }
    }

    pub fn trigger(&self) -> Vec<u32> {
        if self.done.swap(true, Ordering::SeqCst) {
            return Vec::new();
        }
        std::mem::take(&mut *self.waiting.lock().unwrap())
    }
}

/// Keys are only compared: what is kept under a key is behind the lock, whatever the key is.
#[derive(Default)]
pub struct Recent<K> {
    seen: Mutex<HashMap<K, u64>>,
}

impl<K: Clone + Eq + Hash + ToString> Recent<K> {
    pub fn note(&self, key: &K, at: u64) -> bool {
        let mut seen = self.seen.lock().unwrap();
        match seen.get_mut(key) {
            Some(last) => std::mem::replace(last, at) < at,
            None => seen.insert(key.clone(), at).is_none(),
        }
    }

    pub fn name(&self, key: &K) -> String {
        format!("{}/{}", key.to_string(), key.to_string())
    }
}

/// A reader that whoever calls it has to itself, be it pinned or given away.
pub struct Reader<T> {
    rest: RwLock<Vec<T>>,
    first: AtomicU8,
}

impl<T> Reader<T> {
    pub fn consume(self: Pin<&mut Self>, many: u8) {
        let first = self.first.load(Ordering::SeqCst);
        self.first.store(first + many, Ordering::SeqCst);
    }

    pub fn starting_at(self, first: u8) -> Self {
        if self.first.load(Ordering::SeqCst) < first {
            self.first.store(first, Ordering::SeqCst);
        }
        self
    }

    pub fn left(&self) -> usize {
        self.rest.read().unwrap().len() - usize::from(self.first.load(Ordering::SeqCst))
    }
}

/// The same with a helper that says whether this call is the first.
pub struct Start {
    taken: AtomicBool,
    steps: Mutex<u32>,
    tries: Mutex<u32>,
}

impl Start {
    pub fn new() -> Start {
        Start { taken: AtomicBool::new(false), steps: Mutex::new(0), tries: Mutex::new(0) }
    }

    fn is_first(&self) -> bool {
        self.taken.compare_exchange(false, true, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    fn try_tries(&self) -> Option<MutexGuard<'_, u32>> {
        self.tries.try_lock().ok()
    }

    /// Who did not get the lock does nothing.
    pub fn try_once(&self) -> bool {
        let Some(mut tries) = self.try_tries() else { return false };
        let seen = *tries;
        *tries = seen + 1;
        true
    }

    pub fn start(&self) {
        if self.is_first() {
            let steps = *self.steps.lock().unwrap();
            *self.steps.lock().unwrap() = steps + 1;
        }
    }
}

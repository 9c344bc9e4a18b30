// Source: Kixiron/lasso PR #40 (both maps of ThreadedRodeo under one write lock): a new string is in `map` before its key is in
// `strings`; who interns the same string in between gets the key, resolves it, and panics ("Key out of bounds").
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dashmap::mapref::entry::Entry;
use dashmap::DashMap;

pub trait Key: Copy + Eq + std::hash::Hash {
    fn into_usize(self) -> usize;
    fn try_from_usize(int: usize) -> Option<Self>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spur(NonZeroU32);

impl Key for Spur {
    fn into_usize(self) -> usize {
        self.0.get() as usize - 1
    }

    fn try_from_usize(int: usize) -> Option<Self> {
        u32::try_from(int.checked_add(1)?).ok().and_then(NonZeroU32::new).map(Spur)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LassoError {
    MemoryLimitReached,
    KeySpaceExhaustion,
}

impl fmt::Display for LassoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LassoError::MemoryLimitReached => f.write_str("the configured memory limit was reached"),
            LassoError::KeySpaceExhaustion => f.write_str("the key space was exhausted"),
        }
    }
}

pub type LassoResult<T> = Result<T, LassoError>;

struct Arena {
    usage: usize,
    max_usage: usize,
}

impl Arena {
    fn charge(&mut self, bytes: usize) -> LassoResult<()> {
        let usage = self.usage + bytes;
        if usage > self.max_usage {
            return Err(LassoError::MemoryLimitReached);
        }
        self.usage = usage;
        Ok(())
    }
}

pub struct ThreadedRodeo<K: Key = Spur> {
    map: DashMap<Arc<str>, K>,
    strings: DashMap<K, Arc<str>>,
    key: AtomicUsize,
    arena: Mutex<Arena>,
    _key: PhantomData<K>,
}

impl<K: Key> ThreadedRodeo<K> {
    pub fn with_memory_limit(max_usage: usize) -> Self {
        ThreadedRodeo {
            map: DashMap::new(),
            strings: DashMap::new(),
            key: AtomicUsize::new(0),
            arena: Mutex::new(Arena { usage: 0, max_usage }),
            _key: PhantomData,
        }
    }

    pub fn try_get_or_intern<T: AsRef<str>>(&self, val: T) -> LassoResult<K> {
        let string_slice = val.as_ref();
        if let Some(key) = self.map.get(string_slice) { //~
            return Ok(*key);
        }

        let (key, string) = match self.map.entry(Arc::from(string_slice)) {
            Entry::Occupied(entry) => return Ok(*entry.get()),
            Entry::Vacant(entry) => {
                self.arena.lock().unwrap().charge(string_slice.len())?;
                let key = self.next_key()?;
                let string = entry.key().clone();
                entry.insert(key); //~
                (key, string)
            }
        };
        self.strings.insert(key, string); //~
        Ok(key)
    }

    pub fn get_or_intern<T: AsRef<str>>(&self, val: T) -> K {
        self.try_get_or_intern(val).expect("Failed to get or intern string")
    }

    fn next_key(&self) -> LassoResult<K> {
        K::try_from_usize(self.key.fetch_add(1, Ordering::SeqCst)).ok_or(LassoError::KeySpaceExhaustion)
    }

    pub fn get<T: AsRef<str>>(&self, val: T) -> Option<K> {
        self.map.get(val.as_ref()).map(|key| *key)
    }

    pub fn resolve(&self, key: &K) -> Arc<str> {
        self.strings.get(key).expect("Key out of bounds").clone() //~
    }

    pub fn try_resolve(&self, key: &K) -> Option<Arc<str>> {
        self.strings.get(key).map(|string| string.clone())
    }

    pub fn current_memory_usage(&self) -> usize {
        self.arena.lock().unwrap().usage
    }
}

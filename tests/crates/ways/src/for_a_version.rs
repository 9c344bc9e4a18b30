//! What is made outside of the lock is put in only if the version is still the one that it was made for: others who have done so, too, have made the same.

use std::sync::Mutex;

struct Cached {
    version: u64,
    value: Option<String>,
}

pub struct Cache {
    inner: Mutex<Cached>,
}

impl Cache {
    pub fn new() -> Cache {
        Cache { inner: Mutex::new(Cached { version: 0, value: None }) }
    }

    pub fn get(&self, make: impl FnOnce() -> String) -> String {
        let version = {
            let inner = self.inner.lock().unwrap();
            match &inner.value {
                Some(value) => return value.clone(),
                None => inner.version,
            }
        };
        let value = make();
        let mut inner = self.inner.lock().unwrap();
        if inner.version == version {
            inner.value = Some(value.clone());
        }
        value
    }

    pub fn invalidate(&self) {
        let mut inner = self.inner.lock().unwrap();
        inner.version += 1;
        inner.value = None;
    }
}

pub struct CacheWithout {
    value: Mutex<Option<String>>,
}

impl CacheWithout {
    pub fn new() -> CacheWithout {
        CacheWithout { value: Mutex::new(None) }
    }

    /// Wrong: what was made before an invalidation may be put in behind it.
    pub fn get(&self, make: impl FnOnce() -> String) -> String {
        if let Some(value) = &*self.value.lock().unwrap() { //~
            return value.clone();
        }
        let value = make();
        *self.value.lock().unwrap() = Some(value.clone()); //~
        value
    }

    pub fn invalidate(&self) {
        *self.value.lock().unwrap() = None; //~
    }
}

//! A lock that only writers take makes nothing whole to those who look.

use std::sync::{Arc, Mutex, RwLock};

#[derive(Default)]
pub struct Settings {
    writing: Mutex<()>,
    root: RwLock<Arc<String>>,
    cache: RwLock<Arc<String>>,
}

impl Settings {
    pub fn reload(&self, root: String, cache: String) {
        let _writing = self.writing.lock().unwrap();
        *self.root.write().unwrap() = Arc::new(root); //~
        *self.cache.write().unwrap() = Arc::new(cache); //~
    }

    pub fn both(&self) -> (Arc<String>, Arc<String>) {
        (self.root.read().unwrap().clone(), self.cache.read().unwrap().clone()) //~
    }
}

/// Who looks takes it, too.
#[derive(Default)]
pub struct Options {
    both: Mutex<()>,
    root: RwLock<Arc<String>>,
    cache: RwLock<Arc<String>>,
}

impl Options {
    pub fn reload(&self, root: String, cache: String) {
        let _both = self.both.lock().unwrap();
        *self.root.write().unwrap() = Arc::new(root);
        *self.cache.write().unwrap() = Arc::new(cache);
    }

    pub fn both(&self) -> (Arc<String>, Arc<String>) {
        let _both = self.both.lock().unwrap();
        (self.root.read().unwrap().clone(), self.cache.read().unwrap().clone())
    }
}

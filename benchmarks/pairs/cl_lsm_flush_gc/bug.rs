// lsm-tree 2.1.1 (fixed before 2.3.0, commit a3a174ed), src/blob_tree/mod.rs: a flush registers the file of values and later the segment that
// refers to it; a collection in between finds the file referred to by nobody and drops it: new data is lost.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, RwLock};

#[derive(Clone, Default)]
pub struct BlobTree {
    blobs: Arc<Mutex<HashMap<u64, Vec<u8>>>>,
    index: Arc<RwLock<HashMap<String, u64>>>,
}

impl BlobTree {
    pub fn flush(&self, key: String, file: u64, value: Vec<u8>) {
        self.blobs.lock().unwrap().insert(file, value);
        self.index.write().unwrap().insert(key, file);
    }

    pub fn collect(&self) {
        let used: HashSet<u64> = self.index.read().unwrap().values().copied().collect();
        self.blobs.lock().unwrap().retain(|file, _| used.contains(file));
    }

    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let index = self.index.read().unwrap();
        let file = index.get(key)?;
        Some(self.blobs.lock().unwrap().get(file).expect("handle without blob").clone())
    }
}

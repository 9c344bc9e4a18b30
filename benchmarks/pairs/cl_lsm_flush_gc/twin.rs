// lsm-tree 2.3.0, in short: no collection while a flush is between the two.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, RwLock};

#[derive(Clone, Default)]
pub struct BlobTree {
    blobs: Arc<Mutex<HashMap<u64, Vec<u8>>>>,
    index: Arc<RwLock<HashMap<String, u64>>>,
    collecting: Arc<Mutex<()>>,
}

impl BlobTree {
    pub fn flush(&self, key: String, file: u64, value: Vec<u8>) {
        let _one_at_a_time = self.collecting.lock().unwrap();
        self.blobs.lock().unwrap().insert(file, value);
        self.index.write().unwrap().insert(key, file);
    }

    pub fn collect(&self) {
        let _one_at_a_time = self.collecting.lock().unwrap();
        let used: HashSet<u64> = self.index.read().unwrap().values().copied().collect();
        self.blobs.lock().unwrap().retain(|file, _| used.contains(file));
    }

    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let index = self.index.read().unwrap();
        let file = index.get(key)?;
        Some(self.blobs.lock().unwrap().get(file).expect("handle without blob").clone())
    }
}

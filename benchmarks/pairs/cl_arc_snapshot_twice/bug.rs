// Smallest form of lsm-tree 3.0.0-pre.6 (f4c106e8): two looks at a state that is replaced as a whole behind an `Arc` in a lock; the index of
// the first is used in the second, which may be another state: panics. (Without the `Arc` in the lock: a note.)
use std::sync::{Arc, RwLock};

#[derive(Default)]
pub struct Version {
    index: usize,
    files: Vec<u64>,
}

#[derive(Clone, Default)]
pub struct Tree {
    version: Arc<RwLock<Arc<Version>>>,
}

impl Tree {
    pub fn get(&self) -> u64 {
        let i = self.version.read().unwrap().index;
        let version = self.version.read().unwrap().clone();
        version.files[i]
    }

    pub fn install(&self, version: Version) {
        *self.version.write().unwrap() = Arc::new(version);
    }
}

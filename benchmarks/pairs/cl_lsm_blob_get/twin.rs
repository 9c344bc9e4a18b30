// lsm-tree after f4c106e8: the entry is looked up in the version that was taken first.
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

#[derive(Clone, Default)]
pub struct Version {
    entries: Arc<HashMap<String, u64>>,
    blob_files: Arc<HashMap<u64, Vec<u8>>>,
}

#[derive(Default)]
pub struct Index {
    version: RwLock<Version>,
}

impl Index {
    fn version(&self) -> Version {
        self.version.read().unwrap().clone()
    }
}

#[derive(Clone, Default)]
pub struct BlobTree {
    index: Arc<Index>,
}

impl BlobTree {
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let version = self.index.version();
        let handle = version.entries.get(key).copied()?;
        Some(version.blob_files.get(&handle).expect("no such blob file").clone())
    }

    pub fn relocate(&self, key: &str, from: u64, to: u64) {
        let mut version = self.index.version.write().unwrap();
        let mut entries = (*version.entries).clone();
        let mut files = (*version.blob_files).clone();
        if let Some(blob) = files.remove(&from) {
            files.insert(to, blob);
            entries.insert(key.to_string(), to);
        }
        *version = Version { entries: Arc::new(entries), blob_files: Arc::new(files) };
    }
}

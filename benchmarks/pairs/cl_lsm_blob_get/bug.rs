// lsm-tree 3.0.0-rc (fixed by commit f4c106e8, "blob tree read version data race"), src/blob_tree/mod.rs: `get` reads the entry (where the
// blob is) in one version and takes the version whose blob files it looks in with a second look: the file may be gone by then.
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
    fn entry(&self, key: &str) -> Option<u64> {
        self.version.read().unwrap().entries.get(key).copied()
    }
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
        let handle = self.index.entry(key)?;
        let version = self.index.version();
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

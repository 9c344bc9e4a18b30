// Source: surrealdb/surrealmx PR #76 (fix snapshot-isolation reader registration races)
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

type Versions = Vec<(u64, Option<Vec<u8>>)>;

#[derive(Default)]
struct Inner {
    oracle: AtomicU64,
    writer: Mutex<()>,
    counter_by_oracle: Mutex<BTreeMap<u64, usize>>,
    datastore: RwLock<BTreeMap<String, Versions>>,
}

impl Inner {
    fn current_timestamp(&self) -> u64 {
        self.oracle.load(Ordering::SeqCst)
    }

    fn register_reader(&self) -> u64 {
        let version = self.current_timestamp();
        let mut counters = self.counter_by_oracle.lock();
        *counters.entry(version).or_insert(0) += 1;
        version
    }

    fn release_reader(&self, version: u64) {
        let mut counters = self.counter_by_oracle.lock();
        if let Some(count) = counters.get_mut(&version) {
            *count -= 1;
            if *count == 0 {
                counters.remove(&version);
            }
        }
    }

    fn earliest_active_version(&self) -> u64 {
        let counters = self.counter_by_oracle.lock();
        match counters.keys().next() {
            Some(version) => *version,
            None => self.current_timestamp(),
        }
    }
}

#[derive(Clone, Default)]
pub struct Database {
    inner: Arc<Inner>,
}

impl Database {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn snapshot(&self) -> Snapshot {
        let version = self.inner.register_reader();
        Snapshot { inner: self.inner.clone(), version }
    }

    pub fn set(&self, key: &str, value: Option<Vec<u8>>) -> u64 {
        let _writer = self.inner.writer.lock();
        let version = self.inner.current_timestamp() + 1;
        self.inner.datastore.write().entry(key.to_owned()).or_default().push((version, value));
        self.inner.oracle.store(version, Ordering::SeqCst);
        version
    }

    pub fn run_gc(&self) -> usize {
        let cleanup_ts = self.inner.earliest_active_version();
        let mut removed = 0;
        let mut datastore = self.inner.datastore.write();
        for versions in datastore.values_mut() {
            let keep_from = versions.iter().rposition(|(ts, _)| *ts <= cleanup_ts).unwrap_or(0);
            removed += versions.drain(..keep_from).count();
        }
        removed
    }
}

pub struct Snapshot {
    inner: Arc<Inner>,
    version: u64,
}

impl Snapshot {
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let datastore = self.inner.datastore.read();
        let versions = datastore.get(key)?;
        let (_, value) = versions.iter().rev().find(|(ts, _)| *ts <= self.version)?;
        value.clone()
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.inner.release_reader(self.version);
    }
}

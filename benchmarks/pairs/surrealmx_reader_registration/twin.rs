// surrealdb/surrealmx PR 76, repaired: load and registration under the counters' lock, as in PR 76.
//! Multi-version key-value store in memory. A reader registers the version that it reads at; a
//! commit cleans up the versions that no registered reader can see.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

type Key = String;
type Value = Option<Vec<u8>>;

/// The values of a key, by the version that they are from.
#[derive(Default)]
struct Versions {
    inner: BTreeMap<u64, Value>,
}

impl Versions {
    fn fetch_version(&self, version: u64) -> Option<Vec<u8>> {
        self.inner.range(..=version).next_back().and_then(|(_, value)| value.clone())
    }

    /// Removes what is not visible any more at `version` or later.
    fn gc_older_versions(&mut self, version: u64) -> usize {
        if let Some((&visible, _)) = self.inner.range(..=version).next_back() {
            self.inner = self.inner.split_off(&visible);
        }
        self.inner.len()
    }
}

#[derive(Default)]
struct Inner {
    /// The version of the last commit.
    oracle: AtomicU64,
    /// How many readers there are at each version.
    counter_by_oracle: Mutex<BTreeMap<u64, usize>>,
    datastore: RwLock<BTreeMap<Key, Versions>>,
    commit_lock: Mutex<()>,
}

impl Inner {
    fn earliest_active_version(&self) -> Option<u64> {
        self.counter_by_oracle.lock().keys().next().copied()
    }

    fn register(&self) -> u64 {
        // Under the lock of the counters: a commit that does not see the reader there has advanced
        // the oracle before.
        let mut counters = self.counter_by_oracle.lock();
        let version = self.oracle.load(Ordering::SeqCst);
        *counters.entry(version).or_insert(0) += 1;
        version
    }

    fn release(&self, version: u64) {
        let mut counters = self.counter_by_oracle.lock();
        if let Some(count) = counters.get_mut(&version) {
            *count -= 1;
            if *count == 0 {
                counters.remove(&version);
            }
        }
    }

    fn commit(&self, writeset: BTreeMap<Key, Value>) -> u64 {
        let _commit = self.commit_lock.lock();
        let version = self.oracle.load(Ordering::SeqCst) + 1;
        let keys: Vec<Key> = writeset.keys().cloned().collect();
        {
            let mut datastore = self.datastore.write();
            for (key, value) in writeset {
                datastore.entry(key).or_default().inner.insert(version, value);
            }
        }
        self.oracle.store(version, Ordering::SeqCst);

        // Inline garbage collection of the keys that were written.
        let cleanup_ts = self.earliest_active_version().unwrap_or(version);
        let mut datastore = self.datastore.write();
        for key in keys {
            if let Some(versions) = datastore.get_mut(&key) {
                versions.gc_older_versions(cleanup_ts);
            }
        }
        version
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

    pub fn transaction(&self) -> Transaction {
        let version = self.inner.register();
        Transaction { inner: self.inner.clone(), version, writeset: BTreeMap::new() }
    }
}

/// Reads at one version; writes are seen by others when it is committed.
pub struct Transaction {
    inner: Arc<Inner>,
    version: u64,
    writeset: BTreeMap<Key, Value>,
}

impl Transaction {
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        if let Some(value) = self.writeset.get(key) {
            return value.clone();
        }
        self.inner.datastore.read().get(key)?.fetch_version(self.version)
    }

    pub fn set(&mut self, key: impl Into<Key>, value: impl Into<Vec<u8>>) {
        self.writeset.insert(key.into(), Some(value.into()));
    }

    pub fn del(&mut self, key: impl Into<Key>) {
        self.writeset.insert(key.into(), None);
    }

    /// Returns the version of the commit. The last writer of a key wins.
    pub fn commit(mut self) -> u64 {
        let writeset = std::mem::take(&mut self.writeset);
        if writeset.is_empty() {
            return self.version;
        }
        self.inner.commit(writeset)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.inner.release(self.version);
    }
}

// Version-checked initialization as in PR #7825: `invalidate` bumps a version under the entries lock, and `get` inserts only if the version it read before loading is still current (else it reloads), so no value loaded before an invalidation can stay.
use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::{Mutex, RwLock};

const MAX_INIT_ATTEMPTS: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheError {
    Init(String),
    Unstable { cache: String },
}

type InitFuture<V> = Pin<Box<dyn Future<Output = Result<Option<V>, CacheError>> + Send>>;
pub type Initializer<K, V> = Arc<dyn Fn(K) -> InitFuture<V> + Send + Sync>;

struct Entries<K, V> {
    version: u64,
    map: HashMap<K, V>,
}

/// A read-through cache in front of the metadata kv backend.
pub struct CacheContainer<K, V> {
    name: String,
    entries: RwLock<Entries<K, V>>,
    /// Coalesces loads, so that one miss reads the backend once.
    loading: Mutex<()>,
    initializer: Initializer<K, V>,
}

impl<K, V> CacheContainer<K, V>
where
    K: Hash + Eq + Clone,
    V: Clone,
{
    pub fn new(name: impl Into<String>, initializer: Initializer<K, V>) -> Self {
        Self {
            name: name.into(),
            entries: RwLock::new(Entries { version: 0, map: HashMap::new() }),
            loading: Mutex::new(()),
            initializer,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    async fn lookup(&self, key: &K) -> Option<V> {
        self.entries.read().await.map.get(key).cloned()
    }

    /// Returns the value of `key`, loading it from the backend on a miss.
    pub async fn get(&self, key: K) -> Result<Option<V>, CacheError> {
        if let Some(value) = self.lookup(&key).await {
            return Ok(Some(value));
        }
        let _loading = self.loading.lock().await;
        if let Some(value) = self.lookup(&key).await {
            return Ok(Some(value));
        }
        for _ in 0..MAX_INIT_ATTEMPTS {
            let version = self.entries.read().await.version;
            let Some(value) = (self.initializer)(key.clone()).await? else {
                return Ok(None);
            };
            let mut entries = self.entries.write().await;
            if entries.version == version {
                entries.map.insert(key, value.clone());
                return Ok(Some(value));
            }
        }
        Err(CacheError::Unstable { cache: self.name.clone() })
    }

    /// Called by the DDL procedures after the metadata in the backend has changed.
    pub async fn invalidate(&self, keys: &[K]) {
        let mut entries = self.entries.write().await;
        entries.version += 1;
        for key in keys {
            entries.map.remove(key);
        }
    }
}

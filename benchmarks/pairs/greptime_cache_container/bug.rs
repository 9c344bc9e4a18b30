// GreptimeDB, #7815 / PR #7825: `CacheContainer::get` awaits its initializer and inserts afterwards, so an `invalidate` that runs in between is undone and the stale table route stays cached.
use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::{Mutex, RwLock};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheError {
    Init(String),
}

type InitFuture<V> = Pin<Box<dyn Future<Output = Result<Option<V>, CacheError>> + Send>>;
pub type Initializer<K, V> = Arc<dyn Fn(K) -> InitFuture<V> + Send + Sync>;

/// A read-through cache in front of the metadata kv backend.
pub struct CacheContainer<K, V> {
    name: String,
    entries: RwLock<HashMap<K, V>>,
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
            entries: RwLock::new(HashMap::new()),
            loading: Mutex::new(()),
            initializer,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    async fn lookup(&self, key: &K) -> Option<V> {
        self.entries.read().await.get(key).cloned() //~
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
        let Some(value) = (self.initializer)(key.clone()).await? else {
            return Ok(None);
        };
        self.entries.write().await.insert(key, value.clone()); //~
        Ok(Some(value))
    }

    /// Called by the DDL procedures after the metadata in the backend has changed.
    pub async fn invalidate(&self, keys: &[K]) {
        let mut entries = self.entries.write().await;
        for key in keys {
            entries.remove(key); //~
        }
    }
}

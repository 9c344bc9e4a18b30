// lostb1t/remux PR #296: the guard of a keyed lock removes the map entry whenever it is dropped, though another task is
// queued on that mutex; a third caller then makes a second mutex for the same key and the two work at the same time.
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, RwLock};

type Locks<K> = Arc<Mutex<HashMap<K, Arc<AsyncMutex<()>>>>>;

pub struct KeyedLock<K: Eq + Hash + Clone> {
    locks: Locks<K>,
}

pub struct KeyedLockGuard<K: Eq + Hash + Clone> {
    key: K,
    locks: Locks<K>,
    guard: Option<OwnedMutexGuard<()>>,
}

impl<K: Eq + Hash + Clone> KeyedLock<K> {
    pub fn new() -> Self {
        Self { locks: Arc::new(Mutex::new(HashMap::new())) }
    }

    pub async fn lock(&self, key: K) -> KeyedLockGuard<K> {
        let lock = self.locks.lock().unwrap().entry(key.clone()).or_default().clone(); //~
        let guard = lock.lock_owned().await; //~
        KeyedLockGuard { key, locks: self.locks.clone(), guard: Some(guard) }
    }

    pub fn len(&self) -> usize {
        self.locks.lock().unwrap().len()
    }
}

impl<K: Eq + Hash + Clone> Drop for KeyedLockGuard<K> {
    fn drop(&mut self) {
        self.locks.lock().unwrap().remove(&self.key); //~
        self.guard.take();
    }
}

#[derive(Clone, Debug, Default)]
pub struct MediaItem {
    pub title: String,
    pub overview: Option<String>,
    pub revision: u64,
}

pub trait MetadataProvider: Send + Sync {
    fn fetch(&self, id: &str) -> impl std::future::Future<Output = anyhow::Result<String>> + Send;
}

pub struct MediaService<P> {
    provider: P,
    items: RwLock<HashMap<String, MediaItem>>,
    refresh: KeyedLock<String>,
}

impl<P: MetadataProvider> MediaService<P> {
    pub fn new(provider: P) -> Self {
        Self { provider, items: RwLock::new(HashMap::new()), refresh: KeyedLock::new() }
    }

    pub async fn get(&self, id: &str) -> Option<MediaItem> {
        self.items.read().await.get(id).cloned()
    }

    /// One refresh at a time for an item: reads the item, asks the provider, and puts the item back.
    pub async fn refresh_metadata(&self, id: &str) -> anyhow::Result<MediaItem> {
        let _guard = self.refresh.lock(id.to_string()).await;
        let mut item = self.get(id).await.unwrap_or_default();
        item.overview = Some(self.provider.fetch(id).await?);
        item.revision += 1;
        self.items.write().await.insert(id.to_string(), item.clone());
        Ok(item)
    }
}

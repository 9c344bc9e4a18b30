// Barre/ZeroFS PR #311, commit 74e0db0: repaired as there.
use anyhow::Result;
use async_trait::async_trait;
use bytes::Bytes;
use dashmap::DashMap;
use lru::LruCache;
use parking_lot::Mutex;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

const KEY_CACHE_MAX_ENTRIES: usize = 100_000;
const CHUNK_PREFIX: u8 = 0x02;

#[async_trait]
pub trait KvDb: Send + Sync {
    async fn get(&self, key: &Bytes) -> Result<Option<Bytes>>;
    async fn write(&self, puts: Vec<(Bytes, Bytes)>, deletes: Vec<Bytes>) -> Result<()>;
}

pub trait Encryptor: Send + Sync {
    fn encrypt(&self, key: &[u8], plain: &[u8]) -> Result<Vec<u8>>;
    fn decrypt(&self, key: &[u8], cipher: &[u8]) -> Result<Vec<u8>>;
}

struct KeyCache(Mutex<LruCache<Bytes, Bytes>>);

impl KeyCache {
    fn new() -> Self {
        KeyCache(Mutex::new(LruCache::new(NonZeroUsize::new(KEY_CACHE_MAX_ENTRIES).unwrap())))
    }

    fn get(&self, key: &Bytes) -> Option<Bytes> {
        self.0.lock().get(key).cloned()
    }

    fn insert(&self, key: Bytes, value: Bytes) {
        self.0.lock().put(key, value);
    }

    fn remove(&self, key: &Bytes) {
        self.0.lock().pop(key);
    }
}

struct CacheLockManager {
    locks: DashMap<Bytes, Arc<RwLock<()>>>,
}

impl CacheLockManager {
    fn get_or_create_lock(&self, key: &Bytes) -> Arc<RwLock<()>> {
        self.locks
            .entry(key.clone())
            .or_insert_with(|| Arc::new(RwLock::new(())))
            .clone()
    }

    async fn acquire_read(&self, key: &Bytes) -> OwnedRwLockReadGuard<()> {
        self.get_or_create_lock(key).read_owned().await
    }

    async fn acquire_write(&self, key: &Bytes) -> OwnedRwLockWriteGuard<()> {
        self.get_or_create_lock(key).write_owned().await
    }
}

#[derive(Default)]
pub struct EncryptedTransaction {
    pending_operations: Vec<(Bytes, Bytes)>,
    deleted_keys: Vec<Bytes>,
}

impl EncryptedTransaction {
    pub fn put_bytes(&mut self, key: Bytes, value: Bytes) {
        self.pending_operations.push((key, value));
    }

    pub fn delete_bytes(&mut self, key: Bytes) {
        self.deleted_keys.push(key);
    }
}

pub struct EncryptedDb {
    inner: Arc<dyn KvDb>,
    encryptor: Arc<dyn Encryptor>,
    key_cache: KeyCache,
    cache_locks: CacheLockManager,
}

fn is_chunk_key(key: &[u8]) -> bool {
    key.first() == Some(&CHUNK_PREFIX)
}

impl EncryptedDb {
    pub fn new(inner: Arc<dyn KvDb>, encryptor: Arc<dyn Encryptor>) -> Self {
        let cache_locks = CacheLockManager { locks: DashMap::new() };
        Self { inner, encryptor, key_cache: KeyCache::new(), cache_locks }
    }

    pub async fn get_bytes(&self, key: &Bytes) -> Result<Option<Bytes>> {
        let use_cache = !is_chunk_key(key);
        let _cache_guard = if use_cache {
            Some(self.cache_locks.acquire_read(key).await)
        } else {
            None
        };
        if use_cache {
            if let Some(value) = self.key_cache.get(key) {
                return Ok(Some(value));
            }
        }
        let Some(encrypted) = self.inner.get(key).await? else {
            return Ok(None);
        };
        let result = Bytes::from(self.encryptor.decrypt(key, &encrypted)?);
        if use_cache {
            self.key_cache.insert(key.clone(), result.clone());
        }
        Ok(Some(result))
    }

    pub async fn write(&self, txn: EncryptedTransaction) -> Result<()> {
        let mut puts = Vec::with_capacity(txn.pending_operations.len());
        for (key, value) in &txn.pending_operations {
            puts.push((key.clone(), Bytes::from(self.encryptor.encrypt(key, value)?)));
        }

        let mut lock_keys: Vec<Bytes> = txn
            .deleted_keys
            .iter()
            .chain(txn.pending_operations.iter().map(|(key, _)| key))
            .filter(|key| !is_chunk_key(key))
            .cloned()
            .collect();
        lock_keys.sort();
        lock_keys.dedup();
        let mut _guards = Vec::with_capacity(lock_keys.len());
        for key in &lock_keys {
            _guards.push(self.cache_locks.acquire_write(key).await);
        }

        self.inner.write(puts, txn.deleted_keys.clone()).await?;

        for key in txn.deleted_keys {
            self.key_cache.remove(&key);
        }
        for (key, value) in txn.pending_operations {
            if !is_chunk_key(&key) {
                self.key_cache.insert(key, value);
            }
        }
        Ok(())
    }
}

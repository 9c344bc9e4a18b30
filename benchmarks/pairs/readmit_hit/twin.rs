// Source: spiceai/spiceai issue #12838 (a concurrent read can re-admit a stale value over a newer insert)
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};

const SHARDS: usize = 16;

#[derive(Debug)]
pub struct CachedResult {
    pub schema: String,
    pub rows: Vec<Vec<u8>>,
}

#[derive(Clone)]
struct CacheEntry {
    value: Arc<CachedResult>,
}

struct Metadata {
    inserted_at: Instant,
    ttl: Duration,
}

impl Metadata {
    fn expired(&self) -> bool {
        self.inserted_at.elapsed() >= self.ttl
    }
}

type Shard = HashMap<u64, Metadata>;

pub struct LruBackend {
    cache: Mutex<LruCache<u64, CacheEntry>>,
    shards: Vec<Mutex<Shard>>,
    ttl: Duration,
}

impl LruBackend {
    pub fn new(capacity: NonZeroUsize, ttl: Duration) -> Self {
        LruBackend {
            cache: Mutex::new(LruCache::new(capacity)),
            shards: (0..SHARDS).map(|_| Mutex::new(Shard::new())).collect(),
            ttl,
        }
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Shard> {
        self.shards[(key % SHARDS as u64) as usize].lock()
    }

    fn admit(&self, key: u64, entry: CacheEntry) {
        self.cache.lock().put(key, entry);
    }

    fn take(&self, key: u64) -> Option<CacheEntry> {
        self.cache.lock().pop(&key)
    }

    pub fn get(&self, key: u64) -> Option<Arc<CachedResult>> {
        let metadata = self.shard(key);
        if metadata.get(&key)?.expired() {
            return None;
        }
        let mut cache = self.cache.lock();
        let entry = cache.pop(&key)?;
        let value = entry.value.clone();
        cache.put(key, entry);
        drop(cache);
        drop(metadata);
        Some(value)
    }

    pub fn insert(&self, key: u64, value: Arc<CachedResult>) {
        let mut metadata = self.shard(key);
        self.admit(key, CacheEntry { value });
        metadata.insert(key, Metadata { inserted_at: Instant::now(), ttl: self.ttl });
    }

    pub fn remove(&self, key: u64) -> bool {
        let mut metadata = self.shard(key);
        metadata.remove(&key);
        self.take(key).is_some()
    }

    pub fn purge_expired(&self) -> usize {
        let mut purged = 0;
        for shard in &self.shards {
            let mut metadata = shard.lock();
            metadata.retain(|key, meta| {
                if !meta.expired() {
                    return true;
                }
                purged += usize::from(self.take(*key).is_some());
                false
            });
        }
        purged
    }
}

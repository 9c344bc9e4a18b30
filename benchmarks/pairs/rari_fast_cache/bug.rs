// rari-build/rari PR 345 (review): `get` sees a stale entry, lets go of it and removes by key: a response that was just inserted is removed.
//! Prebuilt responses of static pages, served until their max-age is over.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use parking_lot::Mutex;

#[derive(Debug)]
pub struct PrebuiltResponse {
    pub body: Bytes,
    pub etag: String,
    rendered_at: Instant,
    max_age: Duration,
}

impl PrebuiltResponse {
    pub fn new(body: Bytes, max_age: Duration) -> Self {
        let etag = format!("\"{:x}-{:x}\"", body.len(), body.first().copied().unwrap_or(0));
        Self { body, etag, rendered_at: Instant::now(), max_age }
    }

    fn is_fresh(&self) -> bool {
        self.rendered_at.elapsed() < self.max_age
    }
}

pub struct StaticFastCache {
    map: DashMap<String, Arc<PrebuiltResponse>>,
    entry_count: AtomicUsize,
    insert_lock: Mutex<()>,
    max_entries: usize,
}

impl StaticFastCache {
    pub fn new(max_entries: usize) -> Self {
        Self {
            map: DashMap::new(),
            entry_count: AtomicUsize::new(0),
            insert_lock: Mutex::new(()),
            max_entries,
        }
    }

    pub fn get(&self, key: &str) -> Option<Arc<PrebuiltResponse>> {
        let entry = self.map.get(key)?; //~
        if !entry.value().is_fresh() { //~
            drop(entry);
            if self.map.remove(key).is_some() { //~
                self.entry_count.fetch_sub(1, Ordering::Relaxed);
            }
            return None;
        }
        Some(Arc::clone(entry.value()))
    }

    /// Takes the response in unless the cache is full. Replaces what is there.
    pub fn insert(&self, key: String, response: Arc<PrebuiltResponse>) -> bool {
        let _guard = self.insert_lock.lock();
        match self.map.entry(key) {
            Entry::Occupied(mut occupied) => {
                occupied.insert(response); //~
                true
            }
            Entry::Vacant(vacant) => {
                if self.entry_count.load(Ordering::Relaxed) >= self.max_entries {
                    return false;
                }
                self.entry_count.fetch_add(1, Ordering::Relaxed);
                vacant.insert(response); //~
                true
            }
        }
    }

    pub fn len(&self) -> usize {
        self.entry_count.load(Ordering::Relaxed)
    }
}

pub struct CacheHeaders {
    pub etag: String,
    pub hit: bool,
}

pub struct ServerState {
    fast_cache: StaticFastCache,
    max_age: Duration,
}

impl ServerState {
    pub fn new(max_entries: usize, max_age: Duration) -> Self {
        Self { fast_cache: StaticFastCache::new(max_entries), max_age }
    }

    /// Answers out of the cache, or renders and keeps what was rendered.
    pub async fn handle_page<R, Fut>(&self, path: &str, render: R) -> (Bytes, CacheHeaders)
    where
        R: FnOnce(String) -> Fut,
        Fut: Future<Output = Bytes>,
    {
        if let Some(cached) = self.fast_cache.get(path) {
            let headers = CacheHeaders { etag: cached.etag.clone(), hit: true };
            return (cached.body.clone(), headers);
        }

        let body = render(path.to_string()).await;
        let response = Arc::new(PrebuiltResponse::new(body, self.max_age));
        if !self.fast_cache.insert(path.to_string(), Arc::clone(&response)) {
            tracing::debug!(path, "fast cache is full");
        }
        let headers = CacheHeaders { etag: response.etag.clone(), hit: false };
        (response.body.clone(), headers)
    }
}

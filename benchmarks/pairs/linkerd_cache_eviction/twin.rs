// linkerd/linkerd2-proxy, PR #1685: the eviction task takes the cache's write lock before it tries to consume the handle; handles are upgraded under the lock only, so as long as an entry is in the map its handle is alive, and what is removed is the idle entry itself.
use parking_lot::RwLock;
use std::collections::hash_map::{Entry, HashMap};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};
use tokio::{sync::Notify, time};
use tracing::{debug, trace};

pub trait NewService<T> {
    type Service;

    fn new_service(&self, target: T) -> Self::Service;
}

/// The value and the handle that wakes its eviction task; the handle lives as long as the entry is wanted.
type InnerMap<K, V> = RwLock<HashMap<K, (V, Weak<Notify>)>>;

pub struct Cache<K, V> {
    idle: time::Duration,
    inner: Arc<InnerMap<K, V>>,
}

/// A value out of the cache; once all are dropped, the entry may be evicted after a while.
#[derive(Clone, Debug)]
pub struct Cached<V> {
    inner: V,
    handle: Option<Arc<Notify>>,
}

impl<K, V> Cache<K, V>
where
    K: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub fn new(idle: time::Duration) -> Self {
        Self { idle, inner: Arc::new(RwLock::new(HashMap::new())) }
    }

    pub fn get(&self, key: &K) -> Option<Cached<V>> {
        let cache = self.inner.read();
        let (value, weak) = cache.get(key)?;
        let handle = weak.upgrade()?;
        trace!(?key, "Using cached value");
        Some(Cached { inner: value.clone(), handle: Some(handle) })
    }

    pub fn get_or_insert_with(&self, key: K, f: impl FnOnce(&K) -> V) -> Cached<V> {
        // The item is available in most cases, so a read lock is tried first.
        if let Some(cached) = self.get(&key) {
            return cached;
        }

        let mut cache = self.inner.write();
        match cache.entry(key) {
            Entry::Occupied(mut entry) => {
                let (value, weak) = entry.get();
                if let Some(handle) = weak.upgrade() {
                    trace!(key = ?entry.key(), "Using cached value");
                    return Cached { inner: value.clone(), handle: Some(handle) };
                }
                debug!(key = ?entry.key(), "Replacing defunct value");
                let inner = f(entry.key());
                let handle = self.spawn_idle(entry.key().clone());
                entry.insert((inner.clone(), Arc::downgrade(&handle)));
                Cached { inner, handle: Some(handle) }
            }
            Entry::Vacant(entry) => {
                debug!(key = ?entry.key(), "Caching new value");
                let inner = f(entry.key());
                let handle = self.spawn_idle(entry.key().clone());
                entry.insert((inner.clone(), Arc::downgrade(&handle)));
                Cached { inner, handle: Some(handle) }
            }
        }
    }

    fn spawn_idle(&self, key: K) -> Arc<Notify> {
        let handle = Arc::new(Notify::new());
        tokio::spawn(Self::evict(key, self.idle, handle.clone(), Arc::downgrade(&self.inner)));
        handle
    }

    async fn evict(key: K, idle: time::Duration, mut reset: Arc<Notify>, cache: Weak<InnerMap<K, V>>) {
        // Nothing is idle before the first handle is dropped.
        reset.notified().await;
        loop {
            let cache = tokio::select! {
                biased;
                _ = reset.notified() => {
                    trace!("Reset");
                    continue;
                }
                _ = time::sleep(idle) => match cache.upgrade() {
                    Some(cache) => cache,
                    None => return,
                },
            };

            // Lock the cache before checking the handle. Then try to consume it to ensure that nobody else holds one.
            let mut cache = cache.write();
            if let Err(held) = Arc::try_unwrap(reset) {
                reset = held;
                continue;
            }
            debug!(?key, "Dropping cache entry");
            cache.remove(&key);
            return;
        }
    }
}

impl<V> Deref for Cached<V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.inner
    }
}

impl<V> DerefMut for Cached<V> {
    fn deref_mut(&mut self) -> &mut V {
        &mut self.inner
    }
}

impl<V> Drop for Cached<V> {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.notify_one();
        }
    }
}

/// Makes one service for each target and shares it.
pub struct NewCached<T, N: NewService<T>> {
    cache: Cache<T, N::Service>,
    new_inner: N,
}

impl<T, N: NewService<T>> NewCached<T, N> {
    pub fn new(cache: Cache<T, N::Service>, new_inner: N) -> Self {
        Self { cache, new_inner }
    }
}

impl<T, N> NewService<T> for NewCached<T, N>
where
    T: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    N: NewService<T>,
    N::Service: Clone + Send + Sync + 'static,
{
    type Service = Cached<N::Service>;

    fn new_service(&self, target: T) -> Self::Service {
        self.cache.get_or_insert_with(target, |target| self.new_inner.new_service(target.clone()))
    }
}

// Repaired as in cloudwego/volo PR #642: a shared connection is checked and cloned while the pool is locked.

use std::collections::HashMap;
use std::hash::Hash;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

pub trait Poolable: Sized + Send + 'static {
    fn reusable(&self) -> bool;
    fn share(&self) -> Option<Self>;
}

#[async_trait]
pub trait MakeConnection<K>: Send + Sync {
    type Conn: Poolable;
    async fn connect(&self, key: &K) -> io::Result<Self::Conn>;
}

#[derive(Default)]
struct Health {
    read_closed: AtomicBool,
    write_error: AtomicBool,
    dirty: AtomicBool,
}

#[derive(Clone)]
pub struct MuxTransport {
    health: Arc<Health>,
}

impl MuxTransport {
    pub fn new() -> Self {
        Self { health: Arc::default() }
    }

    pub fn poison(&self) {
        self.health.write_error.store(true, Ordering::Release);
    }
}

impl Poolable for MuxTransport {
    fn reusable(&self) -> bool {
        let h = &self.health;
        !h.write_error.load(Ordering::Acquire)
            && !h.read_closed.load(Ordering::Acquire)
            && !h.dirty.load(Ordering::Acquire)
    }

    fn share(&self) -> Option<Self> {
        Some(self.clone())
    }
}

pub struct Pool<K, M: MakeConnection<K>> {
    idle: Mutex<HashMap<K, Vec<M::Conn>>>,
    connecting: tokio::sync::Mutex<()>,
    maker: M,
    max_idle: usize,
}

impl<K, M> Pool<K, M>
where
    K: Hash + Eq + Clone + Send + Sync,
    M: MakeConnection<K>,
{
    pub fn new(maker: M, max_idle: usize) -> Self {
        Self {
            idle: Mutex::new(HashMap::new()),
            connecting: tokio::sync::Mutex::new(()),
            maker,
            max_idle,
        }
    }

    pub async fn get(&self, key: K) -> io::Result<M::Conn> {
        if let Some(conn) = self.checkout(&key) {
            return Ok(conn);
        }
        let _connecting = self.connecting.lock().await;
        if let Some(conn) = self.checkout(&key) {
            return Ok(conn);
        }
        let conn = self.maker.connect(&key).await?;
        if let Some(shared) = conn.share() {
            self.put(key, conn);
            return Ok(shared);
        }
        Ok(conn)
    }

    /// Takes a connection out, or a share of one that stays where it is, under one lock.
    fn checkout(&self, key: &K) -> Option<M::Conn> {
        let mut idle = self.idle.lock();
        let list = idle.get_mut(key)?;
        loop {
            let last = list.last()?;
            if !last.reusable() {
                tracing::debug!("dropping a broken connection");
                list.pop();
                continue;
            }
            if let Some(shared) = last.share() {
                return Some(shared);
            }
            return list.pop();
        }
    }

    pub fn put(&self, key: K, conn: M::Conn) {
        let mut idle = self.idle.lock();
        let list = idle.entry(key).or_default();
        if list.len() < self.max_idle {
            list.push(conn);
        }
    }

    pub fn idle_count(&self, key: &K) -> usize {
        self.idle.lock().get(key).map_or(0, Vec::len)
    }
}

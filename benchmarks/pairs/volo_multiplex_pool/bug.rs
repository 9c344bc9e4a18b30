// Modelled on cloudwego/volo PR #642 ("eliminate multiplex pool race causing ghost connections").
// `get` pops a shared connection, releases the lock to test it and puts it back later: between the
// two critical sections other callers see an empty pool and open connections nobody needs.

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

    fn checkout(&self, key: &K) -> Option<M::Conn> {
        while let Some(conn) = self.pop(key) { //~
            if !conn.reusable() {
                tracing::debug!("dropping a broken connection");
                continue;
            }
            if let Some(shared) = conn.share() {
                self.put(key.clone(), conn); //~
                return Some(shared);
            }
            return Some(conn);
        }
        None
    }

    fn pop(&self, key: &K) -> Option<M::Conn> {
        let mut idle = self.idle.lock();
        let list = idle.get_mut(key)?;
        let conn = list.pop();
        if list.is_empty() {
            idle.remove(key);
        }
        conn
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

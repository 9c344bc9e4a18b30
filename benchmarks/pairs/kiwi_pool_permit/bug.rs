// arana-db/kiwi (PR #172 review): get_connection takes a permit of the pool's semaphore and lets it go when it returns, while the connection is still in use; more connections than max_connections are checked out at once.
use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;

#[derive(Debug)]
pub enum PoolError<E> {
    Timeout,
    Closed,
    CreateFailed(E),
}

#[derive(Clone, Debug)]
pub struct PoolConfig {
    pub max_connections: usize,
    pub min_idle: usize,
    pub acquire_timeout: Duration,
    pub max_idle_time: Duration,
}

impl Default for PoolConfig {
    fn default() -> Self {
        Self {
            max_connections: 64,
            min_idle: 4,
            acquire_timeout: Duration::from_secs(5),
            max_idle_time: Duration::from_secs(300),
        }
    }
}

#[derive(Debug)]
pub struct PooledConnection<T> {
    pub connection: T,
    pub id: u64,
    last_used: Instant,
}

struct Idle<T> {
    connection: T,
    id: u64,
    last_used: Instant,
}

impl<T> Idle<T> {
    fn is_expired(&self, max: Duration) -> bool {
        self.last_used.elapsed() > max
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct PoolStats {
    pub idle: usize,
    pub active: usize,
}

pub struct ConnectionPool<T> {
    config: PoolConfig,
    idle: Mutex<VecDeque<Idle<T>>>,
    semaphore: Arc<Semaphore>,
    next_id: AtomicU64,
}

impl<T: Send> ConnectionPool<T> {
    pub fn new(config: PoolConfig) -> Self {
        Self {
            semaphore: Arc::new(Semaphore::new(config.max_connections)),
            idle: Mutex::new(VecDeque::with_capacity(config.min_idle)),
            next_id: AtomicU64::new(1),
            config,
        }
    }

    async fn take_idle(&self) -> Option<Idle<T>> {
        let mut idle = self.idle.lock().await;
        while let Some(entry) = idle.pop_front() {
            if !entry.is_expired(self.config.max_idle_time) {
                return Some(entry);
            }
        }
        None
    }

    /// A connection of the pool: an idle one if there is any, a new one otherwise. Waits while
    /// `max_connections` are in use.
    pub async fn get_connection<F, Fut, E>(&self, create_fn: F) -> Result<PooledConnection<T>, PoolError<E>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let _permit = timeout(self.config.acquire_timeout, self.semaphore.acquire()) //~
            .await
            .map_err(|_| PoolError::Timeout)?
            .map_err(|_| PoolError::Closed)?;

        let (connection, id) = match self.take_idle().await {
            Some(entry) => (entry.connection, entry.id),
            None => {
                let connection = create_fn().await.map_err(PoolError::CreateFailed)?; //~
                (connection, self.next_id.fetch_add(1, Ordering::Relaxed))
            }
        };
        Ok(PooledConnection { connection, id, last_used: Instant::now() }) //~
    }

    pub async fn return_connection(&self, conn: PooledConnection<T>) {
        if self.semaphore.is_closed() {
            return;
        }
        let mut idle = self.idle.lock().await;
        if idle.len() < self.config.max_connections {
            idle.push_back(Idle { connection: conn.connection, id: conn.id, last_used: conn.last_used });
        }
    }

    pub async fn cleanup_expired(&self) -> usize {
        let mut idle = self.idle.lock().await;
        let before = idle.len();
        idle.retain(|entry| !entry.is_expired(self.config.max_idle_time));
        before - idle.len()
    }

    pub async fn stats(&self) -> PoolStats {
        let idle = self.idle.lock().await.len();
        PoolStats { idle, active: self.config.max_connections - self.semaphore.available_permits() }
    }

    pub async fn close(&self) {
        self.semaphore.close();
        self.idle.lock().await.clear();
    }
}

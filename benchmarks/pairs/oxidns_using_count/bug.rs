// svenshi/oxidns, issue #160 / PR #168: query() counts itself in, awaits the exchange and counts itself out afterwards; the timeout of the upstream drops it at the await, the count stays, and after max_load timeouts the connection looks fully loaded for ever, while maintenance keeps it because it looks used: the pool never recovers.
use async_trait::async_trait;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tracing::{debug, warn};

#[derive(Debug)]
pub enum DnsError {
    Io(std::io::Error),
    Closed,
    NoCapacity,
    Timeout,
}

/// A connection on which many queries may be under way.
#[async_trait]
pub trait Transport: Send + Sync + Sized + 'static {
    async fn connect(addr: SocketAddr) -> Result<Self, DnsError>;
    async fn exchange(&self, message: &[u8]) -> Result<Vec<u8>, DnsError>;
}

pub struct Connection<T> {
    id: u16,
    transport: T,
    using_count: AtomicU16,
    closed: AtomicBool,
    created: Instant,
}

impl<T: Transport> Connection<T> {
    /// Takes one of the places for queries, if there is one left.
    fn try_acquire(&self, max_load: u16) -> bool {
        let acquired = self.using_count.fetch_update(Ordering::AcqRel, Ordering::Acquire, |using| { //~
            (using < max_load).then_some(using + 1)
        });
        acquired.is_ok()
    }

    fn release(&self) {
        self.using_count.fetch_sub(1, Ordering::AcqRel);
    }

    fn available(&self) -> bool {
        !self.closed.load(Ordering::Acquire)
    }

    async fn query(&self, message: &[u8]) -> Result<Vec<u8>, DnsError> {
        let answer = self.transport.exchange(message).await; //~
        if let Err(DnsError::Io(_) | DnsError::Closed) = &answer {
            self.closed.store(true, Ordering::Release);
        }
        answer
    }
}

pub struct PipelinePool<T> {
    addr: SocketAddr,
    connections: Mutex<Vec<Arc<Connection<T>>>>,
    max_size: usize,
    max_load: u16,
    max_age: Duration,
}

impl<T: Transport> PipelinePool<T> {
    pub fn new(addr: SocketAddr, max_size: usize, max_load: u16, max_age: Duration) -> Self {
        Self { addr, connections: Mutex::new(Vec::new()), max_size, max_load, max_age }
    }

    /// A connection with a place taken for the caller.
    async fn get(&self) -> Result<Arc<Connection<T>>, DnsError> {
        let mut connections = self.connections.lock().await;
        connections.retain(|conn| conn.available());
        let free = connections.iter().find(|conn| conn.try_acquire(self.max_load));
        if let Some(conn) = free {
            return Ok(conn.clone());
        }
        if connections.len() >= self.max_size {
            return Err(DnsError::NoCapacity);
        }
        let conn = Arc::new(Connection {
            id: connections.iter().map(|conn| conn.id).max().unwrap_or(0).wrapping_add(1),
            transport: T::connect(self.addr).await?,
            using_count: AtomicU16::new(1),
            closed: AtomicBool::new(false),
            created: Instant::now(),
        });
        connections.push(conn.clone());
        Ok(conn)
    }

    async fn query(&self, message: &[u8]) -> Result<Vec<u8>, DnsError> {
        let conn = self.get().await?;
        let answer = conn.query(message).await; //~
        conn.release(); //~
        answer
    }

    /// Drops old connections that nobody uses.
    pub async fn maintain(&self) {
        let mut connections = self.connections.lock().await;
        connections.retain(|conn| {
            let keep = conn.created.elapsed() < self.max_age || conn.using_count.load(Ordering::Acquire) > 0;
            if !keep {
                debug!(id = conn.id, "closing an old connection");
            }
            keep
        });
    }
}

pub struct Upstream<T> {
    name: String,
    pool: PipelinePool<T>,
    timeout: Duration,
}

impl<T: Transport> Upstream<T> {
    pub fn new(name: impl Into<String>, pool: PipelinePool<T>, timeout: Duration) -> Self {
        Self { name: name.into(), pool, timeout }
    }

    pub async fn query(&self, message: &[u8]) -> Result<Vec<u8>, DnsError> {
        match tokio::time::timeout(self.timeout, self.pool.query(message)).await {
            Ok(answer) => answer,
            Err(_) => {
                warn!(upstream = %self.name, "query timed out");
                Err(DnsError::Timeout)
            }
        }
    }
}

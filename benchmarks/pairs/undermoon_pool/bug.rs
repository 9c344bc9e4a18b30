// doyoubi/undermoon, PR #88: a client that was checked out before `switch_backend` is put back by its `Drop` after the idle connections were thrown away, so the pool hands out a stale connection.
use async_trait::async_trait;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Debug)]
pub enum BackendError {
    Connect(String),
    Timeout,
}

#[async_trait]
pub trait ConnFactory: Send + Sync + 'static {
    type Conn: Send + 'static;
    async fn connect(&self, address: &str) -> Result<Self::Conn, BackendError>;
}

struct PoolState<C> {
    address: String,
    idle: Vec<C>,
}

struct PoolInner<F: ConnFactory> {
    factory: F,
    state: Mutex<PoolState<F::Conn>>,
    max_idle: usize,
}

pub struct BackendPool<F: ConnFactory> {
    inner: Arc<PoolInner<F>>,
}

impl<F: ConnFactory> Clone for BackendPool<F> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

pub struct PooledConn<F: ConnFactory> {
    conn: Option<F::Conn>,
    inner: Arc<PoolInner<F>>,
}

impl<F: ConnFactory> BackendPool<F> {
    pub fn new(factory: F, address: impl Into<String>, max_idle: usize) -> Self {
        let state = PoolState { address: address.into(), idle: Vec::new() };
        Self { inner: Arc::new(PoolInner { factory, state: Mutex::new(state), max_idle }) }
    }

    pub async fn get(&self) -> Result<PooledConn<F>, BackendError> {
        let (address, idle) = {
            let mut state = self.inner.state.lock().unwrap();
            (state.address.clone(), state.idle.pop()) //~
        };
        let conn = match idle {
            Some(conn) => conn,
            None => tokio::time::timeout(Duration::from_secs(3), self.inner.factory.connect(&address))
                .await
                .map_err(|_| BackendError::Timeout)??,
        };
        Ok(PooledConn { conn: Some(conn), inner: self.inner.clone() })
    }

    /// The slots moved to another node, or the node failed over: nothing may go to the old one.
    pub fn switch_backend(&self, address: impl Into<String>) {
        let mut state = self.inner.state.lock().unwrap();
        state.address = address.into();
        state.idle.clear(); //~
    }
}

impl<F: ConnFactory> PooledConn<F> {
    pub fn conn(&mut self) -> &mut F::Conn {
        self.conn.as_mut().expect("conn is only taken on drop")
    }
}

impl<F: ConnFactory> Drop for PooledConn<F> {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            let mut state = self.inner.state.lock().unwrap();
            if state.idle.len() < self.inner.max_idle {
                state.idle.push(conn); //~
            }
        }
    }
}

// Source: importcjj/mobc issue #63, pull request #64 (mobc completely stops serving connections)
use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::oneshot::{self, Sender as ReqSender};
use tokio::sync::Mutex;

#[async_trait]
pub trait Manager: Send + Sync + 'static {
    type Connection: Send + 'static;
    type Error: Send + 'static;

    /// Attempts to create a new connection.
    async fn connect(&self) -> Result<Self::Connection, Self::Error>;
}

#[derive(Debug)]
pub enum Error<E> {
    Inner(E),
    Timeout,
}

struct SharedPool<M: Manager> {
    max_open: u64,
    manager: M,
    internals: Mutex<PoolInternals<M::Connection>>,
}

struct PoolInternals<C> {
    free_conns: Vec<C>,
    conn_requests: VecDeque<ReqSender<C>>,
    num_open: u64,
    wait_count: u64,
    wait_duration: Duration,
}

/// A generic connection pool.
pub struct Pool<M: Manager>(Arc<SharedPool<M>>);

impl<M: Manager> Clone for Pool<M> {
    fn clone(&self) -> Self {
        Pool(self.0.clone())
    }
}

/// Information about the state of a `Pool`.
#[derive(Debug)]
pub struct State {
    /// The number of established connections both in use and idle.
    pub connections: u64,
    /// The number of idle connections.
    pub idle: u64,
    /// The total number of connections waited for.
    pub wait_count: u64,
    /// The total time blocked waiting for a new connection.
    pub wait_duration: Duration,
}

impl<M: Manager> Pool<M> {
    pub fn new(manager: M, max_open: usize) -> Pool<M> {
        Pool(Arc::new(SharedPool {
            max_open: max_open as u64,
            manager,
            internals: Mutex::new(PoolInternals {
                free_conns: vec![],
                conn_requests: VecDeque::new(),
                num_open: 0,
                wait_count: 0,
                wait_duration: Duration::from_secs(0),
            }),
        }))
    }

    /// Retrieves a connection from the pool, waiting for at most `duration`
    pub async fn get_timeout(&self, duration: Duration) -> Result<Connection<M>, Error<M::Error>> {
        match tokio::time::timeout(duration, self.get()).await {
            Ok(conn) => conn,
            Err(_) => Err(Error::Timeout),
        }
    }

    /// Returns a single connection by either opening a new connection
    /// or returning an existing connection from the connection pool.
    pub async fn get(&self) -> Result<Connection<M>, Error<M::Error>> {
        let conn = self.inner_get().await?;
        Ok(Connection { pool: self.clone(), conn: Some(conn) })
    }

    async fn inner_get(&self) -> Result<M::Connection, Error<M::Error>> {
        let mut internals = self.0.internals.lock().await;
        if let Some(c) = internals.free_conns.pop() {
            return Ok(c);
        }

        if internals.num_open >= self.0.max_open {
            let (req_sender, req_recv) = oneshot::channel();
            internals.wait_count += 1;
            internals.conn_requests.push_back(req_sender);
            // release
            drop(internals);

            let wait_start = Instant::now();
            let conn = req_recv.await.unwrap(); //~
            let mut internals = self.0.internals.lock().await;
            internals.wait_duration += wait_start.elapsed();
            return Ok(conn);
        }

        let c = self.0.manager.connect().await.map_err(Error::Inner)?;
        internals.num_open += 1;
        Ok(c)
    }

    /// Returns information about the current state of the pool.
    pub async fn state(&self) -> State {
        let internals = self.0.internals.lock().await;
        State {
            connections: internals.num_open,
            idle: internals.free_conns.len() as u64,
            wait_count: internals.wait_count,
            wait_duration: internals.wait_duration,
        }
    }
}

async fn put_conn<M: Manager>(shared: &SharedPool<M>, mut conn: M::Connection) {
    let mut internals = shared.internals.lock().await;
    while let Some(req) = internals.conn_requests.pop_front() {
        if req.is_closed() {
            continue;
        }
        if let Err(c) = req.send(conn) { //~
            conn = c;
            continue;
        }
        return;
    }
    internals.free_conns.push(conn);
}

/// A smart pointer wrapping a connection.
pub struct Connection<M: Manager> {
    pool: Pool<M>,
    conn: Option<M::Connection>,
}

impl<M: Manager> Drop for Connection<M> {
    fn drop(&mut self) {
        let pool = self.pool.clone();
        let conn = self.conn.take().unwrap();
        tokio::spawn(async move {
            put_conn(&pool.0, conn).await;
        });
    }
}

impl<M: Manager> Deref for Connection<M> {
    type Target = M::Connection;
    fn deref(&self) -> &Self::Target {
        self.conn.as_ref().unwrap()
    }
}

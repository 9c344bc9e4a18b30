// sfackler/r2d2 commit f9f6bec: repaired as there.
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

pub trait ManageConnection: Send + Sync + 'static {
    type Connection: Send + 'static;
    fn connect(&self) -> Result<Self::Connection, String>;
    fn has_broken(&self, conn: &mut Self::Connection) -> bool;
}

struct PoolInternals<C> {
    conns: VecDeque<C>,
    num_conns: u32,
    pending_conns: u32,
    last_error: Option<String>,
}

struct SharedPool<M: ManageConnection> {
    pool_size: u32,
    connection_timeout: Duration,
    manager: M,
    internals: Mutex<PoolInternals<M::Connection>>,
    cond: Condvar,
}

#[derive(Debug)]
pub struct GetTimeout(pub Option<String>);

fn add_connection<M: ManageConnection>(shared: &Arc<SharedPool<M>>, internals: &mut PoolInternals<M::Connection>) {
    if internals.num_conns + internals.pending_conns >= shared.pool_size {
        return;
    }
    internals.pending_conns += 1;
    let shared = shared.clone();
    thread::spawn(move || loop {
        let result = shared.manager.connect();
        let mut internals = shared.internals.lock();
        match result {
            Ok(conn) => {
                internals.last_error = None;
                internals.conns.push_back(conn);
                internals.pending_conns -= 1;
                internals.num_conns += 1;
                shared.cond.notify_one();
                return;
            }
            Err(err) => internals.last_error = Some(err),
        }
        drop(internals);
        thread::sleep(Duration::from_millis(200));
    });
}

pub struct Pool<M: ManageConnection>(Arc<SharedPool<M>>);

impl<M: ManageConnection> Pool<M> {
    pub fn new(pool_size: u32, connection_timeout: Duration, manager: M) -> Pool<M> {
        let internals = Mutex::new(PoolInternals { conns: VecDeque::new(), num_conns: 0, pending_conns: 0, last_error: None });
        Pool(Arc::new(SharedPool { pool_size, connection_timeout, manager, internals, cond: Condvar::new() }))
    }

    pub fn get(&self) -> Result<PooledConnection<M>, GetTimeout> {
        let end = Instant::now() + self.0.connection_timeout;
        let mut internals = self.0.internals.lock();
        loop {
            match self.try_get_inner(internals) {
                Ok(conn) => return Ok(conn),
                Err(i) => internals = i,
            }
            add_connection(&self.0, &mut internals);
            let now = Instant::now();
            if now >= end {
                return Err(GetTimeout(internals.last_error.take()));
            }
            self.0.cond.wait_for(&mut internals, end - now);
        }
    }

    pub fn try_get(&self) -> Option<PooledConnection<M>> {
        self.try_get_inner(self.0.internals.lock()).ok()
    }

    fn try_get_inner<'a>(
        &'a self,
        mut internals: MutexGuard<'a, PoolInternals<M::Connection>>,
    ) -> Result<PooledConnection<M>, MutexGuard<'a, PoolInternals<M::Connection>>> {
        match internals.conns.pop_front() {
            Some(conn) => Ok(PooledConnection { shared: self.0.clone(), conn: Some(conn) }),
            None => Err(internals),
        }
    }
}

pub struct PooledConnection<M: ManageConnection> {
    shared: Arc<SharedPool<M>>,
    conn: Option<M::Connection>,
}

impl<M: ManageConnection> PooledConnection<M> {
    pub fn connection(&self) -> &M::Connection {
        self.conn.as_ref().unwrap()
    }
}

impl<M: ManageConnection> Drop for PooledConnection<M> {
    fn drop(&mut self) {
        let mut conn = self.conn.take().unwrap();
        let broken = self.shared.manager.has_broken(&mut conn);
        let mut internals = self.shared.internals.lock();
        if broken {
            internals.num_conns -= 1;
            add_connection(&self.shared, &mut internals);
        } else {
            internals.conns.push_back(conn);
            self.shared.cond.notify_one();
        }
    }
}

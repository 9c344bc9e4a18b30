// Source: djc/bb8 issue #122 (waiter queued after the idle list was already checked)
use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;

use crossbeam_channel::{bounded, Sender};
use parking_lot::Mutex;

pub trait ManageConnection: Send + Sync + 'static {
    type Connection: Send + 'static;
    type Error;

    fn connect(&self) -> Result<Self::Connection, Self::Error>;
    fn has_broken(&self, conn: &Self::Connection) -> bool;
}

enum Grant<C> {
    Idle(C),
    Slot,
}

struct PoolInternals<C> {
    idle: VecDeque<C>,
    waiters: VecDeque<Sender<Grant<C>>>,
    num_conns: u32,
}

impl<C> PoolInternals<C> {
    fn try_grant(&mut self, max_size: u32) -> Option<Grant<C>> {
        if let Some(conn) = self.idle.pop_front() {
            return Some(Grant::Idle(conn));
        }
        if self.num_conns < max_size {
            self.num_conns += 1;
            return Some(Grant::Slot);
        }
        None
    }
}

struct SharedPool<M: ManageConnection> {
    manager: M,
    max_size: u32,
    internals: Mutex<PoolInternals<M::Connection>>,
}

impl<M: ManageConnection> SharedPool<M> {
    fn acquire(&self) -> Grant<M::Connection> {
        let rx = {
            let mut internals = self.internals.lock();
            if let Some(grant) = internals.try_grant(self.max_size) {
                return grant;
            }
            let (tx, rx) = bounded(1);
            internals.waiters.push_back(tx);
            rx
        };
        rx.recv().expect("pool outlives its waiters")
    }

    fn put_back(&self, conn: M::Connection) {
        let mut internals = self.internals.lock();
        match internals.waiters.pop_front() {
            Some(waiter) => drop(waiter.send(Grant::Idle(conn))),
            None => internals.idle.push_back(conn),
        }
    }

    fn release_slot(&self) {
        let mut internals = self.internals.lock();
        match internals.waiters.pop_front() {
            Some(waiter) => drop(waiter.send(Grant::Slot)),
            None => internals.num_conns -= 1,
        }
    }
}

pub struct Pool<M: ManageConnection> {
    inner: Arc<SharedPool<M>>,
}

impl<M: ManageConnection> Pool<M> {
    pub fn new(manager: M, max_size: u32) -> Self {
        let internals = PoolInternals { idle: VecDeque::new(), waiters: VecDeque::new(), num_conns: 0 };
        Pool { inner: Arc::new(SharedPool { manager, max_size, internals: Mutex::new(internals) }) }
    }

    pub fn get(&self) -> Result<PooledConnection<M>, M::Error> {
        let conn = match self.inner.acquire() {
            Grant::Idle(conn) => conn,
            Grant::Slot => self.inner.manager.connect().inspect_err(|_| self.inner.release_slot())?,
        };
        Ok(PooledConnection { pool: self.inner.clone(), conn: Some(conn) })
    }
}

pub struct PooledConnection<M: ManageConnection> {
    pool: Arc<SharedPool<M>>,
    conn: Option<M::Connection>,
}

impl<M: ManageConnection> Deref for PooledConnection<M> {
    type Target = M::Connection;
    fn deref(&self) -> &M::Connection {
        self.conn.as_ref().unwrap()
    }
}

impl<M: ManageConnection> Drop for PooledConnection<M> {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        if self.pool.manager.has_broken(&conn) {
            drop(conn);
            self.pool.release_slot();
        } else {
            self.pool.put_back(conn);
        }
    }
}

// Repaired as in OneSignal/L3-37 issue #7: the waiters and the connections are under one mutex.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::oneshot;

#[async_trait]
pub trait ManageConnection: Send + Sync + 'static {
    type Connection: Send + 'static;
    async fn connect(&self) -> io::Result<Self::Connection>;
    fn has_broken(&self, conn: &Self::Connection) -> bool;
}

type Waiters<M> = VecDeque<oneshot::Sender<Conn<M>>>;

struct ConnPool<M: ManageConnection> {
    idle: VecDeque<M::Connection>,
    waiting: Waiters<M>,
    total: usize,
}

struct Inner<M: ManageConnection> {
    conns: Mutex<ConnPool<M>>,

    manager: M,
    max_size: usize,
}

pub struct Pool<M: ManageConnection>(Arc<Inner<M>>);

pub struct Conn<M: ManageConnection> {
    conn: Option<M::Connection>,
    pool: Arc<Inner<M>>,
}

enum Ticket<M: ManageConnection> {
    Ready(M::Connection),
    Open,
    Wait(oneshot::Receiver<Conn<M>>),
}

/// Gives the slot of a connection back if it is not opened after all.
struct Opening<'a, M: ManageConnection>(&'a Inner<M>);

impl<M: ManageConnection> Drop for Opening<'_, M> {
    fn drop(&mut self) {
        self.0.release_slot();
    }
}

impl<M: ManageConnection> Inner<M> {
    fn take_idle(&self) -> Ticket<M> {
        let mut conns = self.conns.lock();
        if let Some(conn) = conns.idle.pop_front() {
            return Ticket::Ready(conn);
        }
        if conns.total < self.max_size {
            conns.total += 1;
            return Ticket::Open;
        }
        let (tx, rx) = oneshot::channel();
        conns.waiting.push_back(tx);
        Ticket::Wait(rx)
    }

    /// One waiter fails with the connection and may try again.
    fn release_slot(&self) {
        let waiter = {
            let mut conns = self.conns.lock();
            conns.total -= 1;
            conns.waiting.pop_front()
        };
        drop(waiter);
    }

    fn put_back(self: &Arc<Self>, conn: M::Connection) {
        if self.manager.has_broken(&conn) {
            return self.release_slot();
        }
        let mut conn = Conn { conn: Some(conn), pool: self.clone() };
        loop {
            let waiter = {
                let mut conns = self.conns.lock();
                let Some(waiter) = conns.waiting.pop_front() else {
                    conns.idle.extend(conn.conn.take());
                    return;
                };
                waiter
            };
            match waiter.send(conn) {
                Ok(()) => return,
                Err(back) => conn = back,
            }
        }
    }
}

impl<M: ManageConnection> Pool<M> {
    pub fn new(manager: M, max_size: usize) -> Self {
        let conns = ConnPool { idle: VecDeque::new(), waiting: VecDeque::new(), total: 0 };
        Self(Arc::new(Inner { conns: Mutex::new(conns), manager, max_size }))
    }

    pub async fn connection(&self) -> io::Result<Conn<M>> {
        let inner = &self.0;
        let conn = match inner.take_idle() {
            Ticket::Ready(conn) => conn,
            Ticket::Open => {
                let opening = Opening(inner);
                let conn = inner.manager.connect().await?;
                std::mem::forget(opening);
                conn
            }
            Ticket::Wait(rx) => return rx.await.map_err(|_| io::ErrorKind::BrokenPipe.into()),
        };
        Ok(Conn { conn: Some(conn), pool: inner.clone() })
    }
}

impl<M: ManageConnection> Conn<M> {
    pub fn get(&mut self) -> &mut M::Connection {
        self.conn.as_mut().expect("present until dropped")
    }
}

impl<M: ManageConnection> Drop for Conn<M> {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            self.pool.put_back(conn);
        }
    }
}

// Modelled on OneSignal/L3-37 issue #7 ("Wrap both `waiting` and `conns` in Mutex") and the race it reports.
// A getter looks for a connection under one lock and queues itself under another: a connection that is put
// back between the two finds no waiter, lies idle, and the getter is never woken.

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
    total: usize,
}

struct Inner<M: ManageConnection> {
    conns: Mutex<ConnPool<M>>,
    waiting: Mutex<Waiters<M>>,
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
    Wait,
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
        Ticket::Wait
    }

    /// One waiter fails with the connection and may try again.
    fn release_slot(&self) {
        self.conns.lock().total -= 1; //~
        let waiter = self.waiting.lock().pop_front(); //~
        drop(waiter);
    }

    fn put_back(self: &Arc<Self>, conn: M::Connection) {
        if self.manager.has_broken(&conn) {
            return self.release_slot();
        }
        let mut conn = Conn { conn: Some(conn), pool: self.clone() };
        loop {
            let Some(waiter) = self.waiting.lock().pop_front() else { //~
                self.conns.lock().idle.extend(conn.conn.take()); //~
                return;
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
        let conns = Mutex::new(ConnPool { idle: VecDeque::new(), total: 0 });
        Self(Arc::new(Inner { conns, waiting: Mutex::default(), manager, max_size }))
    }

    pub async fn connection(&self) -> io::Result<Conn<M>> {
        let inner = &self.0;
        let conn = match inner.take_idle() { //~
            Ticket::Ready(conn) => conn,
            Ticket::Open => {
                let opening = Opening(inner);
                let conn = inner.manager.connect().await?;
                std::mem::forget(opening);
                conn
            }
            Ticket::Wait => {
                let (tx, rx) = oneshot::channel();
                inner.waiting.lock().push_back(tx); //~
                return rx.await.map_err(|_| io::ErrorKind::BrokenPipe.into());
            }
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

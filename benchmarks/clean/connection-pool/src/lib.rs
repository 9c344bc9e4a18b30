//! A pool of connections.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Default)]
pub struct Connection {
    pub queries: u64,
}

pub struct Pool {
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

pub struct Pooled {
    connection: Option<Connection>,
    idle: Arc<Mutex<Vec<Connection>>>,
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    pub fn new(size: usize) -> Self {
        Pool { permits: Arc::new(Semaphore::new(size)), idle: Arc::default() }
    }

    /// An idle connection, or a new one; waits while too many are out.
    pub async fn get(&self) -> Option<Pooled> {
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        let connection = self.idle.lock().unwrap().pop().unwrap_or_default();
        Some(Pooled { connection: Some(connection), idle: self.idle.clone(), _permit: permit })
    }
}

impl Deref for Pooled {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().unwrap()
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().unwrap()
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        self.idle.lock().unwrap().extend(self.connection.take());
    }
}

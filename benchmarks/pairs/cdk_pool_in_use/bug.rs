// cashubtc/cdk, PR #1441: get_timeout pops a connection (or decides to create one), releases the queue's mutex and only then counts it as in use; a thread that looks in between sees an empty queue and room for one more, and opens a second connection beyond max_size (for an in-memory SQLite: a second, empty database).
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub enum Error<E> {
    Poison,
    Timeout,
    Resource(E),
}

pub trait DatabaseConfig: Clone + Debug + Send + Sync {
    fn max_size(&self) -> usize;
    fn default_timeout(&self) -> Duration;
}

/// How the resources of a pool are made.
pub trait DatabasePool {
    type Connection: Send;
    type Config: DatabaseConfig;
    type Error: Debug;

    /// If `stale` is ever set, the resource is not valid any more and will be dropped.
    fn new_resource(config: &Self::Config, stale: Arc<AtomicBool>) -> Result<Self::Connection, Self::Error>;
}

type Slot<RM> = (Arc<AtomicBool>, <RM as DatabasePool>::Connection);

pub struct Pool<RM: DatabasePool> {
    config: RM::Config,
    queue: Mutex<Vec<Slot<RM>>>,
    in_use: AtomicUsize,
    max_size: usize,
    default_timeout: Duration,
    waiter: Condvar,
}

pub struct PooledResource<RM: DatabasePool> {
    resource: Option<Slot<RM>>,
    pool: Arc<Pool<RM>>,
}

impl<RM: DatabasePool> Drop for PooledResource<RM> {
    fn drop(&mut self) {
        if let Some(resource) = self.resource.take() {
            let mut queue = self.pool.queue.lock().expect("queue");
            queue.push(resource);
            self.pool.in_use.fetch_sub(1, Ordering::AcqRel);
            self.pool.waiter.notify_one();
        }
    }
}

impl<RM: DatabasePool> Deref for PooledResource<RM> {
    type Target = RM::Connection;

    fn deref(&self) -> &Self::Target {
        &self.resource.as_ref().expect("resource already dropped").1
    }
}

impl<RM: DatabasePool> DerefMut for PooledResource<RM> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.resource.as_mut().expect("resource already dropped").1
    }
}

impl<RM: DatabasePool> Pool<RM> {
    pub fn new(config: RM::Config) -> Arc<Self> {
        Arc::new(Self {
            default_timeout: config.default_timeout(),
            max_size: config.max_size(),
            config,
            queue: Mutex::new(Vec::new()),
            in_use: AtomicUsize::new(0),
            waiter: Condvar::new(),
        })
    }

    pub fn get(self: &Arc<Self>) -> Result<PooledResource<RM>, Error<RM::Error>> {
        self.get_timeout(self.default_timeout)
    }

    fn increment_connection_counter(&self) {
        self.in_use.fetch_add(1, Ordering::AcqRel); //~
    }

    /// Gives back the place of a connection that could not be made.
    fn creation_failed(&self) {
        let _queue = self.queue.lock().expect("queue");
        self.in_use.fetch_sub(1, Ordering::AcqRel);
        self.waiter.notify_one();
    }

    /// Returns a free resource or creates a new one if there is room for it; waits for one otherwise.
    pub fn get_timeout(self: &Arc<Self>, timeout: Duration) -> Result<PooledResource<RM>, Error<RM::Error>> {
        let deadline = Instant::now() + timeout;
        let mut resources = self.queue.lock().map_err(|_| Error::Poison)?;

        loop {
            while let Some((stale, resource)) = resources.pop() {
                if stale.load(Ordering::SeqCst) {
                    continue;
                }
                drop(resources);
                self.increment_connection_counter();
                return Ok(PooledResource { resource: Some((stale, resource)), pool: self.clone() });
            }

            if self.in_use.load(Ordering::Acquire) < self.max_size { //~
                drop(resources);
                self.increment_connection_counter();
                let stale = Arc::new(AtomicBool::new(false));
                return match RM::new_resource(&self.config, stale.clone()) {
                    Ok(resource) => Ok(PooledResource { resource: Some((stale, resource)), pool: self.clone() }),
                    Err(err) => {
                        self.creation_failed();
                        Err(Error::Resource(err))
                    }
                };
            }

            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::Timeout);
            }
            resources = self.waiter.wait_timeout(resources, left).map_err(|_| Error::Poison)?.0;
        }
    }
}

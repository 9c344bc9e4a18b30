// Modelled on milvus-io/talon issue #162 ("worker in-flight dedup leaks its entry on cancellation/panic, permanently
// hanging all future readers of that block"). The mark of a load is taken away after the await, by hand: a client that
// disconnects drops the future there, and everybody who wants the block after that waits for a load that nobody does.

use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use thiserror::Error;
use tokio::sync::Notify;

#[derive(Debug, Error)]
pub enum LoadError {
    #[error("backend: {0}")]
    Backend(String),
    #[error("block {0:?} is empty")]
    Empty(BlockId),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlockId {
    pub object: String,
    pub index: u64,
}

#[async_trait]
pub trait Backend: Send + Sync {
    async fn fetch(&self, block: &BlockId) -> Result<Bytes, LoadError>;
}

pub enum Admission {
    Started,
    AlreadyLoading,
}

/// The loads under way; each has somebody who does it, the others wait for that.
#[derive(Default)]
pub struct InFlightLoads {
    inner: Mutex<HashMap<BlockId, Arc<Notify>>>,
}

impl InFlightLoads {
    pub fn admit(&self, key: &BlockId) -> Admission {
        match self.inner.lock().unwrap().entry(key.clone()) {
            Entry::Occupied(_) => Admission::AlreadyLoading,
            Entry::Vacant(slot) => {
                slot.insert(Arc::new(Notify::new()));
                Admission::Started
            }
        }
    }

    pub async fn wait(&self, key: &BlockId) {
        let notify;
        let notified = {
            let loads = self.inner.lock().unwrap();
            match loads.get(key) {
                Some(n) => notify = n.clone(),
                None => return,
            }
            // Made under the lock: `complete` comes after it.
            notify.notified()
        };
        notified.await;
    }

    pub fn complete(&self, key: &BlockId) {
        let load = self.inner.lock().unwrap().remove(key);
        if let Some(notify) = load {
            notify.notify_waiters();
        }
    }
}

pub struct WorkerRuntime<B> {
    backend: B,
    cache: Mutex<HashMap<BlockId, Bytes>>,
    inflight: Arc<InFlightLoads>,
}

impl<B: Backend> WorkerRuntime<B> {
    pub fn new(backend: B) -> Self {
        Self { backend, cache: Mutex::default(), inflight: Arc::default() }
    }

    fn cached(&self, block: &BlockId) -> Option<Bytes> {
        self.cache.lock().unwrap().get(block).cloned()
    }

    async fn fetch_and_commit(&self, block: &BlockId) -> Result<Bytes, LoadError> {
        // Another may have loaded it between the miss and the admission.
        if let Some(bytes) = self.cached(block) {
            return Ok(bytes);
        }
        let bytes = self.backend.fetch(block).await?;
        if bytes.is_empty() {
            return Err(LoadError::Empty(block.clone()));
        }
        self.cache.lock().unwrap().insert(block.clone(), bytes.clone());
        Ok(bytes)
    }

    pub async fn block_bytes(&self, block: &BlockId) -> Result<Bytes, LoadError> {
        loop {
            if let Some(bytes) = self.cached(block) {
                return Ok(bytes);
            }
            match self.inflight.admit(block) {
                Admission::Started => {
                    let result = self.fetch_and_commit(block).await; //~
                    self.inflight.complete(block); //~
                    return result;
                }
                Admission::AlreadyLoading => self.inflight.wait(block).await,
            }
        }
    }
}

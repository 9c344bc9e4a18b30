// Repaired as for milvus-io/talon issue #162: whoever loads has a guard that takes the mark away when it is dropped.

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
    Started(InFlightGuard),
    AlreadyLoading,
}

/// The mark of a load: it goes with whoever loads, however that ends.
pub struct InFlightGuard {
    inflight: Arc<InFlightLoads>,
    key: BlockId,
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.inflight.complete(&self.key);
    }
}

/// The loads under way; each has somebody who does it, the others wait for that.
#[derive(Default)]
pub struct InFlightLoads {
    inner: Mutex<HashMap<BlockId, Arc<Notify>>>,
}

impl InFlightLoads {
    pub fn admit(self: &Arc<Self>, key: &BlockId) -> Admission {
        match self.inner.lock().unwrap().entry(key.clone()) {
            Entry::Occupied(_) => Admission::AlreadyLoading,
            Entry::Vacant(slot) => {
                slot.insert(Arc::new(Notify::new()));
                Admission::Started(InFlightGuard { inflight: self.clone(), key: key.clone() })
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

    fn complete(&self, key: &BlockId) {
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
                Admission::Started(_guard) => return self.fetch_and_commit(block).await,
                Admission::AlreadyLoading => self.inflight.wait(block).await,
            }
        }
    }
}

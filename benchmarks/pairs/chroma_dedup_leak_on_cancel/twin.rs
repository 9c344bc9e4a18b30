// chroma-core/chroma PR #6433: repaired as there.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

#[derive(Clone, Debug)]
pub enum StorageError {
    NotFound { path: String },
    Generic { source: String },
}

type FetchOutput = Result<Arc<Vec<u8>>, StorageError>;

#[async_trait]
pub trait ObjectStorage: Send + Sync {
    async fn get(&self, key: &str) -> Result<Vec<u8>, StorageError>;
}

struct InflightRequest {
    senders: Vec<oneshot::Sender<FetchOutput>>,
}

impl InflightRequest {
    fn new(senders: Vec<oneshot::Sender<FetchOutput>>) -> Self {
        InflightRequest { senders }
    }
}

#[derive(Default)]
struct Metrics {
    outstanding_read_requests: AtomicUsize,
    nac_dedup_count: AtomicUsize,
}

struct InflightRequestCleanupGuard<'a> {
    owner: &'a AdmissionControlledStorage,
    key: &'a str,
    completed: bool,
}

impl InflightRequestCleanupGuard<'_> {
    fn complete(&mut self) {
        if !self.completed {
            self.completed = true;
            self.owner.metrics.outstanding_read_requests.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for InflightRequestCleanupGuard<'_> {
    fn drop(&mut self) {
        if self.completed {
            return;
        }
        let mut requests = self.owner.outstanding_read_requests.lock().unwrap();
        requests.remove(self.key);
        self.complete();
    }
}

pub struct AdmissionControlledStorage {
    storage: Arc<dyn ObjectStorage>,
    outstanding_read_requests: Arc<Mutex<HashMap<String, InflightRequest>>>,
    metrics: Metrics,
}

impl AdmissionControlledStorage {
    pub fn new(storage: Arc<dyn ObjectStorage>) -> Self {
        AdmissionControlledStorage {
            storage,
            outstanding_read_requests: Arc::new(Mutex::new(HashMap::new())),
            metrics: Metrics::default(),
        }
    }

    pub async fn get(&self, key: &str) -> FetchOutput {
        let (output_rx, cleanup_guard) = {
            let mut requests = self.outstanding_read_requests.lock().unwrap();
            let (output_tx, output_rx) = oneshot::channel();
            match requests.get_mut(key) {
                Some(inflight_req) => {
                    self.metrics.nac_dedup_count.fetch_add(1, Ordering::Relaxed);
                    inflight_req.senders.push(output_tx);
                    (output_rx, None)
                }
                None => {
                    requests.insert(key.to_string(), InflightRequest::new(vec![output_tx]));
                    self.metrics.outstanding_read_requests.fetch_add(1, Ordering::Relaxed);
                    let guard = InflightRequestCleanupGuard { owner: self, key, completed: false };
                    (output_rx, Some(guard))
                }
            }
        };
        if let Some(cleanup_guard) = cleanup_guard {
            self.fetch(key, cleanup_guard).await;
        }
        output_rx
            .await
            .map_err(|e| StorageError::Generic { source: e.to_string() })?
    }

    async fn fetch(&self, key: &str, mut cleanup_guard: InflightRequestCleanupGuard<'_>) {
        let fetched = self.storage.get(key).await.map(Arc::new);
        let inflight = {
            let mut requests = self.outstanding_read_requests.lock().unwrap();
            let inflight = requests.remove(key).expect("Key must exist");
            cleanup_guard.complete();
            inflight
        };
        for output_tx in inflight.senders {
            let _ = output_tx.send(fetched.clone());
        }
    }

    pub fn outstanding(&self) -> usize {
        self.metrics.outstanding_read_requests.load(Ordering::Relaxed)
    }
}

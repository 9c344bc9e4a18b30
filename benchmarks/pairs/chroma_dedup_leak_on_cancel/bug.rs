// chroma-core/chroma PR #6433: the driver of a deduplicated fetch is dropped at .await: its map entry stays, later callers of that key wait for ever, counter leaks.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use tokio::sync::{oneshot, Mutex};

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
        let mut requests = self.outstanding_read_requests.lock().await;
        let output_rx = match requests.get_mut(key) {
            Some(inflight_req) => {
                self.metrics.nac_dedup_count.fetch_add(1, Ordering::Relaxed);
                let (output_tx, output_rx) = oneshot::channel();
                inflight_req.senders.push(output_tx);
                drop(requests);
                output_rx
            }
            None => {
                let (output_tx, output_rx) = oneshot::channel();
                requests.insert(key.to_string(), InflightRequest::new(vec![output_tx]));
                self.metrics.outstanding_read_requests.fetch_add(1, Ordering::Relaxed);
                drop(requests);
                self.fetch(key).await;
                self.metrics.outstanding_read_requests.fetch_sub(1, Ordering::Relaxed);
                output_rx
            }
        };
        output_rx
            .await
            .map_err(|e| StorageError::Generic { source: e.to_string() })?
    }

    async fn fetch(&self, key: &str) {
        let fetched = self.storage.get(key).await.map(Arc::new);
        let mut requests = self.outstanding_read_requests.lock().await;
        let inflight = requests.remove(key).expect("Key must exist");
        drop(requests);
        for output_tx in inflight.senders {
            let _ = output_tx.send(fetched.clone());
        }
    }

    pub fn outstanding(&self) -> usize {
        self.metrics.outstanding_read_requests.load(Ordering::Relaxed)
    }
}

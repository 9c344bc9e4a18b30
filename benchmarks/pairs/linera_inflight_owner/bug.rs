// linera-io/linera-protocol (PR #6577): the owner of a deduplicated request removes its in-flight entry only when it completes; if its future is dropped before, the entry with the broadcast sender stays and all subscribers wait forever.
use async_trait::async_trait;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use tokio::sync::{broadcast, Mutex};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeError {
    MissingBlob(u64),
    Unreachable(String),
    ResponseTooLarge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestKey {
    Certificates { chain: u64, start: u64, limit: u64 },
    Blob(u64),
}

#[derive(Clone, Debug)]
pub enum RequestResult {
    Certificates(Arc<Vec<u64>>),
    Blob(Option<Arc<Vec<u8>>>),
}

#[async_trait]
pub trait ValidatorNode: Send + Sync {
    async fn download_certificates(&self, chain: u64, start: u64, limit: u64) -> Result<Vec<u64>, NodeError>;
    async fn download_blob(&self, id: u64) -> Result<Vec<u8>, NodeError>;
}

type Outcome<V> = Result<V, NodeError>;

enum Admission<K: Eq + Hash, V> {
    Owner(K),
    Subscriber(broadcast::Receiver<Outcome<V>>),
}

struct InFlightTracker<K, V> {
    entries: Mutex<HashMap<K, broadcast::Sender<Outcome<V>>>>,
}

impl<K: Eq + Hash + Clone, V: Clone> InFlightTracker<K, V> {
    fn new() -> Self {
        Self { entries: Mutex::new(HashMap::new()) }
    }

    async fn try_subscribe_or_insert(&self, key: &K) -> Admission<K, V> {
        let mut entries = self.entries.lock().await;
        if let Some(sender) = entries.get(key) {
            return Admission::Subscriber(sender.subscribe());
        }
        entries.insert(key.clone(), broadcast::channel(1).0); //~
        Admission::Owner(key.clone())
    }

    async fn complete_and_broadcast(&self, key: &K, outcome: &Outcome<V>) -> usize {
        match self.entries.lock().await.remove(key) { //~
            Some(sender) => sender.send(outcome.clone()).unwrap_or(0),
            None => 0,
        }
    }
}

pub struct RequestsScheduler<N> {
    node: N,
    in_flight: InFlightTracker<RequestKey, RequestResult>,
}

impl<N: ValidatorNode> RequestsScheduler<N> {
    pub fn new(node: N) -> Self {
        Self { node, in_flight: InFlightTracker::new() }
    }

    async fn execute(&self, key: &RequestKey) -> Outcome<RequestResult> {
        match key {
            RequestKey::Certificates { chain, start, limit } => {
                let certificates = self.node.download_certificates(*chain, *start, *limit).await?;
                Ok(RequestResult::Certificates(Arc::new(certificates)))
            }
            RequestKey::Blob(id) => match self.node.download_blob(*id).await {
                Ok(blob) => Ok(RequestResult::Blob(Some(Arc::new(blob)))),
                Err(NodeError::MissingBlob(_)) => Ok(RequestResult::Blob(None)),
                Err(e) => Err(e),
            },
        }
    }

    async fn deduplicated_request(&self, key: RequestKey) -> Outcome<RequestResult> {
        match self.in_flight.try_subscribe_or_insert(&key).await {
            Admission::Owner(key) => {
                let outcome = self.execute(&key).await; //~
                self.in_flight.complete_and_broadcast(&key, &outcome).await;
                outcome
            }
            Admission::Subscriber(mut receiver) => match receiver.recv().await { //~
                Ok(outcome) => outcome,
                Err(_) => self.execute(&key).await,
            },
        }
    }

    pub async fn blob(&self, id: u64) -> Result<Option<Arc<Vec<u8>>>, NodeError> {
        match self.deduplicated_request(RequestKey::Blob(id)).await? {
            RequestResult::Blob(blob) => Ok(blob),
            RequestResult::Certificates(_) => Err(NodeError::MissingBlob(id)),
        }
    }

    pub async fn certificates(&self, chain: u64, start: u64, limit: u64) -> Result<Arc<Vec<u64>>, NodeError> {
        match self.deduplicated_request(RequestKey::Certificates { chain, start, limit }).await? {
            RequestResult::Certificates(found) => Ok(found),
            RequestResult::Blob(_) => Err(NodeError::ResponseTooLarge),
        }
    }
}

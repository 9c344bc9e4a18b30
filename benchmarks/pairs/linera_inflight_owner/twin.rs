// linera-io/linera-protocol (PR #6577), repaired: the owner holds a guard that removes the entry when dropped, which closes the channel of the subscribers; they try again on their own.
use async_trait::async_trait;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};
use tokio::sync::broadcast;

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
    Owner(OwnerGuard<K, V>),
    Subscriber(broadcast::Receiver<Outcome<V>>),
}

type Entries<K, V> = Arc<Mutex<HashMap<K, broadcast::Sender<Outcome<V>>>>>;

struct OwnerGuard<K: Eq + Hash, V> {
    entries: Entries<K, V>,
    key: Option<K>,
}

impl<K: Eq + Hash, V: Clone> OwnerGuard<K, V> {
    fn complete_and_broadcast(mut self, outcome: &Outcome<V>) -> usize {
        let sender = self.key.take().and_then(|key| self.entries.lock().unwrap().remove(&key));
        sender.map_or(0, |sender| sender.send(outcome.clone()).unwrap_or(0))
    }
}

impl<K: Eq + Hash, V> Drop for OwnerGuard<K, V> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.entries.lock().unwrap().remove(&key);
        }
    }
}

struct InFlightTracker<K, V> {
    entries: Entries<K, V>,
}

impl<K: Eq + Hash + Clone, V: Clone> InFlightTracker<K, V> {
    fn new() -> Self {
        Self { entries: Arc::default() }
    }

    fn try_subscribe_or_insert(&self, key: &K) -> Admission<K, V> {
        let mut entries = self.entries.lock().unwrap();
        if let Some(sender) = entries.get(key) {
            return Admission::Subscriber(sender.subscribe());
        }
        entries.insert(key.clone(), broadcast::channel(1).0);
        Admission::Owner(OwnerGuard { entries: self.entries.clone(), key: Some(key.clone()) })
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
        match self.in_flight.try_subscribe_or_insert(&key) {
            Admission::Owner(guard) => {
                let outcome = self.execute(&key).await;
                guard.complete_and_broadcast(&outcome);
                outcome
            }
            Admission::Subscriber(mut receiver) => match receiver.recv().await {
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

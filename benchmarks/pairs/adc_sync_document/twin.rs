// api7/adc PR #586
use async_trait::async_trait;
use dashmap::DashMap;
use parking_lot::RwLock;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[derive(Debug)]
pub enum SyncError {
    Rejected { status: u16, message: String },
    Transport(String),
}

#[derive(Debug, Clone)]
pub enum Event {
    Upsert { kind: String, id: String, body: Value },
    Delete { kind: String, id: String },
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    pub version: u64,
    pub resources: BTreeMap<(String, String), Value>,
}

impl Document {
    fn apply(&mut self, events: Vec<Event>) -> usize {
        let applied = events.len();
        for event in events {
            match event {
                Event::Upsert { kind, id, body } => {
                    self.resources.insert((kind, id), body);
                }
                Event::Delete { kind, id } => {
                    self.resources.remove(&(kind, id));
                }
            }
        }
        self.version += 1;
        applied
    }
}

#[async_trait]
pub trait AdminApi: Send + Sync {
    async fn put_configs(&self, cache_key: &str, doc: &Document) -> Result<(), SyncError>;
}

#[derive(Debug, PartialEq)]
pub struct SyncReport {
    pub version: u64,
    pub applied: usize,
}

#[derive(Default)]
struct SyncLocks {
    locks: DashMap<String, Arc<tokio::sync::Mutex<()>>>,
}

impl SyncLocks {
    async fn acquire(&self, cache_key: &str) -> tokio::sync::OwnedMutexGuard<()> {
        let lock = self.locks.entry(cache_key.to_string()).or_default().clone();
        lock.lock_owned().await
    }
}

pub struct StandaloneBackend {
    api: Arc<dyn AdminApi>,
    documents: RwLock<HashMap<String, Document>>,
    sync_locks: SyncLocks,
}

impl StandaloneBackend {
    pub fn new(api: Arc<dyn AdminApi>) -> Self {
        Self {
            api,
            documents: RwLock::new(HashMap::new()),
            sync_locks: SyncLocks::default(),
        }
    }

    pub fn dump(&self, cache_key: &str) -> Document {
        self.documents
            .read()
            .get(cache_key)
            .cloned()
            .unwrap_or_default()
    }

    fn remember(&self, cache_key: &str, doc: Document) {
        self.documents.write().insert(cache_key.to_string(), doc);
    }

    pub async fn sync(&self, cache_key: &str, events: Vec<Event>) -> Result<SyncReport, SyncError> {
        let _sync = self.sync_locks.acquire(cache_key).await;
        let mut doc = self.dump(cache_key);
        let applied = doc.apply(events);
        let version = doc.version;
        self.api.put_configs(cache_key, &doc).await?;
        self.remember(cache_key, doc);
        Ok(SyncReport { version, applied })
    }
}

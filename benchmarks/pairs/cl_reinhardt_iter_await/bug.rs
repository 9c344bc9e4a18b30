// reinhardt-db 0.1 (fixed by commit e8e2b8be, June 2026), src/orm/instrumentation.rs: an iterator of a DashMap, with a shard locked, lives while
// each listener is awaited: who adds a listener on the same worker blocks the thread that would have to go on.
use async_trait::async_trait;
use dashmap::DashMap;
use std::sync::Arc;

#[async_trait]
pub trait EventListener: Send + Sync {
    async fn on_query_start(&self, query: &str);
}

pub struct Slow;

#[async_trait]
impl EventListener for Slow {
    async fn on_query_start(&self, _query: &str) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[derive(Clone, Default)]
pub struct Instrumentation {
    listeners: Arc<DashMap<String, Arc<dyn EventListener>>>,
}

impl Instrumentation {
    pub async fn add(&self, id: String) {
        self.listeners.insert(id, Arc::new(Slow));
    }

    pub async fn query_start(&self, query: &str) {
        for entry in self.listeners.iter() {
            entry.value().on_query_start(query).await;
        }
    }
}

// reinhardt-db after e8e2b8be: a copy is gone through.
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
        let listeners: Vec<_> = self.listeners.iter().map(|e| e.value().clone()).collect();
        for listener in listeners {
            listener.on_query_start(query).await;
        }
    }
}

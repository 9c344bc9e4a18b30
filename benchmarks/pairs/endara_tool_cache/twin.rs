// endara-ai/endara-relay, PR #155: each entry has an epoch that an invalidation raises in the lock of the cache; the list is stored only if the epoch is still that from before it was asked for, which is compared in the lock of the store.
use anyhow::{anyhow, Result};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, RwLock};
use tracing::{debug, warn};

#[derive(Clone, Debug, PartialEq)]
pub struct ToolDescriptor {
    pub name: String,
    pub input_schema: serde_json::Value,
}

#[async_trait]
pub trait McpAdapter: Send + Sync {
    async fn list_tools(&self) -> Result<Vec<ToolDescriptor>>;
    async fn call_tool(&self, name: &str, arguments: serde_json::Value) -> Result<serde_json::Value>;
}

struct CachedTools {
    tools: Arc<Vec<ToolDescriptor>>,
    listed_at: Instant,
}

#[derive(Default)]
struct ToolCache {
    /// How often the endpoint has been invalidated.
    epoch: u64,
    cached: Option<CachedTools>,
}

pub struct RegisteredAdapter {
    name: String,
    adapter: Box<dyn McpAdapter>,
    tool_cache: RwLock<ToolCache>,
    /// Only one caller at a time asks the endpoint.
    populate_lock: Mutex<()>,
    ttl: Duration,
}

impl RegisteredAdapter {
    pub fn new(name: impl Into<String>, adapter: Box<dyn McpAdapter>, ttl: Duration) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            adapter,
            tool_cache: RwLock::default(),
            populate_lock: Mutex::new(()),
            ttl,
        })
    }

    async fn fresh_tools(&self) -> Option<Arc<Vec<ToolDescriptor>>> {
        let cache = self.tool_cache.read().await;
        let cached = cache.cached.as_ref()?;
        (cached.listed_at.elapsed() < self.ttl).then(|| cached.tools.clone())
    }

    pub async fn cached_list_tools(&self) -> Result<Arc<Vec<ToolDescriptor>>> {
        if let Some(tools) = self.fresh_tools().await {
            return Ok(tools);
        }
        let _populating = self.populate_lock.lock().await;
        if let Some(tools) = self.fresh_tools().await {
            debug!(endpoint = %self.name, "somebody else has listed the tools");
            return Ok(tools);
        }
        let epoch = self.tool_cache.read().await.epoch;
        let tools = Arc::new(self.adapter.list_tools().await?);
        let mut cache = self.tool_cache.write().await;
        if cache.epoch == epoch {
            cache.cached = Some(CachedTools { tools: tools.clone(), listed_at: Instant::now() });
        }
        Ok(tools)
    }

    async fn invalidate(&self) {
        let mut cache = self.tool_cache.write().await;
        cache.epoch += 1;
        cache.cached = None;
    }
}

#[derive(Default)]
pub struct AdapterRegistry {
    adapters: RwLock<BTreeMap<String, Arc<RegisteredAdapter>>>,
}

impl AdapterRegistry {
    pub async fn register(&self, adapter: Arc<RegisteredAdapter>) {
        self.adapters.write().await.insert(adapter.name.clone(), adapter);
    }

    async fn endpoint(&self, name: &str) -> Result<Arc<RegisteredAdapter>> {
        self.adapters.read().await.get(name).cloned().ok_or_else(|| anyhow!("no endpoint {name}"))
    }

    /// What a recovery tick calls when the endpoint says that its tools have changed.
    pub async fn invalidate_endpoint_tool_cache(&self, name: &str) -> Result<()> {
        self.endpoint(name).await?.invalidate().await;
        Ok(())
    }

    pub async fn merged_catalog(&self) -> BTreeMap<String, ToolDescriptor> {
        let adapters: Vec<_> = self.adapters.read().await.values().cloned().collect();
        let mut merged = BTreeMap::new();
        for adapter in adapters {
            match adapter.cached_list_tools().await {
                Ok(tools) => merged.extend(tools.iter().map(|t| (format!("{}__{}", adapter.name, t.name), t.clone()))),
                Err(err) => warn!(endpoint = %adapter.name, "listing the tools failed: {err:#}"),
            }
        }
        merged
    }

    pub async fn call(&self, endpoint: &str, tool: &str, arguments: serde_json::Value) -> Result<serde_json::Value> {
        self.endpoint(endpoint).await?.adapter.call_tool(tool, arguments).await
    }
}

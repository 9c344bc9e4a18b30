// lakeops-org/queryflux issue #236
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdmissionError {
    UnknownCluster(String),
    AtCapacity { cluster: String, max: u64 },
}

#[derive(Debug, Clone)]
pub struct ClusterConfig {
    pub name: String,
    pub endpoint: String,
    pub max_running_queries: u64,
}

pub struct ClusterState {
    config: ClusterConfig,
    running_queries: AtomicU64,
}

impl ClusterState {
    fn new(config: ClusterConfig) -> Self {
        Self {
            config,
            running_queries: AtomicU64::new(0),
        }
    }

    pub fn running(&self) -> u64 {
        self.running_queries.load(Ordering::SeqCst)
    }

    pub fn endpoint(&self) -> &str {
        &self.config.endpoint
    }

    fn is_at_capacity(&self) -> bool {
        self.running() >= self.config.max_running_queries
    }

    fn increment_running(&self) {
        self.running_queries.fetch_add(1, Ordering::SeqCst);
    }

    fn decrement_running(&self) {
        self.running_queries.fetch_sub(1, Ordering::SeqCst);
    }
}

pub struct QuerySlot {
    cluster: Arc<ClusterState>,
    acquired_at: Instant,
}

impl QuerySlot {
    pub fn cluster(&self) -> &ClusterState {
        &self.cluster
    }

    pub fn held_for(&self) -> Duration {
        self.acquired_at.elapsed()
    }
}

impl Drop for QuerySlot {
    fn drop(&mut self) {
        self.cluster.decrement_running();
    }
}

pub struct ClusterManager {
    clusters: HashMap<String, Arc<ClusterState>>,
}

impl ClusterManager {
    pub fn from_configs(configs: impl IntoIterator<Item = ClusterConfig>) -> Self {
        let clusters = configs
            .into_iter()
            .map(|c| (c.name.clone(), Arc::new(ClusterState::new(c))))
            .collect();
        Self { clusters }
    }

    fn lookup(&self, name: &str) -> Result<&Arc<ClusterState>, AdmissionError> {
        self.clusters
            .get(name)
            .ok_or_else(|| AdmissionError::UnknownCluster(name.to_string()))
    }

    pub fn running_on(&self, name: &str) -> Result<u64, AdmissionError> {
        self.lookup(name).map(|c| c.running())
    }

    pub fn acquire_cluster(&self, name: &str) -> Result<QuerySlot, AdmissionError> {
        let cluster = self.lookup(name)?;
        if cluster.is_at_capacity() {
            return Err(AdmissionError::AtCapacity {
                cluster: name.to_string(),
                max: cluster.config.max_running_queries,
            });
        }
        cluster.increment_running();
        Ok(QuerySlot {
            cluster: Arc::clone(cluster),
            acquired_at: Instant::now(),
        })
    }
}

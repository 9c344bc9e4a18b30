// Modelled on systeminit/si PR #4402 ("Address read-lock-write race condition in WorkspaceSnapshot::revert").
// Whether there is a working copy is found out under the read lock and acted on under a later write lock:
// another writer can make or drop the working copy in between, and its changes are overwritten.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use thiserror::Error;
use tokio::sync::RwLock;

#[derive(Debug, Error)]
pub enum SnapshotError {
    #[error("node {0} is not in the graph")]
    NodeMissing(u64),
    #[error("layer store: {0}")]
    Store(String),
}

pub type SnapshotResult<T> = Result<T, SnapshotError>;

#[derive(Debug, Clone, Default)]
pub struct SnapshotGraph {
    nodes: BTreeMap<u64, String>,
}

impl SnapshotGraph {
    pub fn add(&mut self, id: u64, label: impl Into<String>) {
        self.nodes.insert(id, label.into());
    }

    pub fn rename(&mut self, id: u64, label: &str) -> SnapshotResult<()> {
        let slot = self.nodes.get_mut(&id).ok_or(SnapshotError::NodeMissing(id))?;
        label.clone_into(slot);
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }
}

#[async_trait]
pub trait LayerStore: Send + Sync {
    async fn persist(&self, graph: &SnapshotGraph) -> Result<u64, String>;
}

pub struct WorkspaceSnapshot<L> {
    read_only: Arc<SnapshotGraph>,
    working_copy: RwLock<Option<SnapshotGraph>>,
    dirty_generations: RwLock<u64>,
    store: L,
}

impl<L: LayerStore> WorkspaceSnapshot<L> {
    pub fn new(graph: SnapshotGraph, store: L) -> Self {
        Self {
            read_only: Arc::new(graph),
            working_copy: RwLock::new(None),
            dirty_generations: RwLock::new(0),
            store,
        }
    }

    pub async fn edit<F, T>(&self, change: F) -> SnapshotResult<T>
    where
        F: FnOnce(&mut SnapshotGraph) -> SnapshotResult<T>,
    {
        let missing = self.working_copy.read().await.is_none(); //~
        if missing {
            let copy = self.read_only.as_ref().clone();
            *self.working_copy.write().await = Some(copy); //~
        }
        let mut working = self.working_copy.write().await;
        match working.as_mut() {
            Some(graph) => change(graph),
            None => Err(SnapshotError::Store("working copy vanished".into())),
        }
    }

    pub async fn revert(&self) {
        let present = self.working_copy.read().await.is_some(); //~
        if present {
            *self.working_copy.write().await = None; //~
            *self.dirty_generations.write().await += 1;
        }
    }

    pub async fn write(&self) -> SnapshotResult<u64> {
        let working = self.working_copy.read().await;
        let graph = working.as_ref().unwrap_or(&self.read_only);
        self.store.persist(graph).await.map_err(SnapshotError::Store)
    }

    pub async fn node_count(&self) -> usize {
        let working = self.working_copy.read().await;
        working.as_ref().map_or(self.read_only.len(), SnapshotGraph::len)
    }
}

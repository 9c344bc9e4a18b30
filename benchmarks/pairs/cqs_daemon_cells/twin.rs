// Repaired as in jamie8johnson/cqs PR #1880: cells carry the epoch read before the build, and readers compare it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use anyhow::Result;
use parking_lot::{Mutex, RwLock};

pub trait ChunkStore: Send + Sync {
    fn embeddings(&self) -> Result<Vec<(u64, Vec<f32>)>>;
    fn notes(&self) -> Result<HashMap<PathBuf, String>>;
}

pub struct VectorIndex {
    rows: Vec<(u64, Vec<f32>)>,
}

impl VectorIndex {
    fn build(rows: Vec<(u64, Vec<f32>)>) -> Self {
        Self { rows }
    }

    pub fn search(&self, query: &[f32], k: usize) -> Vec<(u64, f32)> {
        let mut scored: Vec<(u64, f32)> = self
            .rows
            .iter()
            .map(|(id, v)| (*id, v.iter().zip(query).map(|(a, b)| a * b).sum()))
            .collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        scored.truncate(k);
        scored
    }
}

/// A value with the epoch it was built in; readers take it only in that epoch.
type Cell<T> = RwLock<Option<(u64, Arc<T>)>>;

pub struct DaemonContext<S> {
    store: S,
    invalidation_epoch: AtomicU64,
    vector_index: Cell<VectorIndex>,
    notes: Cell<HashMap<PathBuf, String>>,
    queries: Mutex<u64>,
}

fn snapshot_cell<T>(cell: &Cell<T>, epoch: u64) -> Option<Arc<T>> {
    let cell = cell.read();
    cell.as_ref().filter(|(tag, _)| *tag == epoch).map(|(_, value)| value.clone())
}

fn publish<T>(cell: &Cell<T>, epoch: u64, value: Arc<T>) {
    let mut cell = cell.write();
    if cell.as_ref().map_or(true, |(tag, _)| *tag <= epoch) {
        *cell = Some((epoch, value));
    }
}

impl<S: ChunkStore> DaemonContext<S> {
    pub fn new(store: S) -> Self {
        Self {
            store,
            invalidation_epoch: AtomicU64::new(0),
            vector_index: RwLock::new(None),
            notes: RwLock::new(None),
            queries: Mutex::new(0),
        }
    }

    /// Called by the watcher after files have been indexed anew.
    pub fn invalidate(&self) {
        let epoch = self.invalidation_epoch.fetch_add(1, Ordering::AcqRel) + 1;
        *self.vector_index.write() = None;
        *self.notes.write() = None;
        tracing::debug!(epoch, "caches cleared");
    }

    pub fn vector_index(&self) -> Result<Arc<VectorIndex>> {
        let epoch = self.invalidation_epoch.load(Ordering::Acquire);
        if let Some(index) = snapshot_cell(&self.vector_index, epoch) {
            return Ok(index);
        }
        let rows = self.store.embeddings()?;
        let index = Arc::new(VectorIndex::build(rows));
        publish(&self.vector_index, epoch, index.clone());
        Ok(index)
    }

    pub fn notes(&self) -> Result<Arc<HashMap<PathBuf, String>>> {
        let epoch = self.invalidation_epoch.load(Ordering::Acquire);
        if let Some(notes) = snapshot_cell(&self.notes, epoch) {
            return Ok(notes);
        }
        let notes = Arc::new(self.store.notes()?);
        publish(&self.notes, epoch, notes.clone());
        Ok(notes)
    }

    pub fn query(&self, embedding: &[f32], k: usize) -> Result<Vec<(u64, f32)>> {
        *self.queries.lock() += 1;
        Ok(self.vector_index()?.search(embedding, k))
    }

    pub fn query_count(&self) -> u64 {
        *self.queries.lock()
    }
}

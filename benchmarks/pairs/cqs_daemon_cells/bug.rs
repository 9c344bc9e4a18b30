// Modelled on jamie8johnson/cqs PR #1880 ("epoch-tag cached cells to close the stale-generation serve").
// A query builds an index from a snapshot and publishes it after an invalidation has cleared the cell: the
// cell then holds an index of the old generation and serves it until the next invalidation.

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

type Cell<T> = RwLock<Option<Arc<T>>>;

pub struct DaemonContext<S> {
    store: S,
    invalidation_epoch: AtomicU64,
    vector_index: Cell<VectorIndex>,
    notes: Cell<HashMap<PathBuf, String>>,
    queries: Mutex<u64>,
}

fn snapshot_cell<T>(cell: &Cell<T>) -> Option<Arc<T>> {
    cell.read().clone()
}

fn publish<T>(cell: &Cell<T>, value: Arc<T>) {
    *cell.write() = Some(value); //~
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
        if let Some(index) = snapshot_cell(&self.vector_index) { //~
            return Ok(index);
        }
        let rows = self.store.embeddings()?;
        let index = Arc::new(VectorIndex::build(rows));
        publish(&self.vector_index, index.clone()); //~
        Ok(index)
    }

    pub fn notes(&self) -> Result<Arc<HashMap<PathBuf, String>>> {
        if let Some(notes) = snapshot_cell(&self.notes) { //~
            return Ok(notes);
        }
        let notes = Arc::new(self.store.notes()?);
        publish(&self.notes, notes.clone()); //~
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

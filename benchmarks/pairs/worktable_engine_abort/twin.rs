// Repaired as asked for in pathscale/wt-dead issue #162: closing ends the queue and waits for the engine instead of aborting it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

#[derive(Debug, Error)]
pub enum PersistenceError {
    #[error("i/o: {0}")]
    Io(#[from] std::io::Error),
    #[error("the table is closed")]
    Closed,
}

#[derive(Debug, Clone)]
pub struct Operation {
    pub id: u64,
    pub page: u32,
    pub row: Bytes,
    pub primary_key: u64,
}

#[async_trait]
pub trait Space: Send + Sync + 'static {
    async fn write_rows(&self, page: u32, rows: &[Bytes]) -> std::io::Result<()>;
    async fn write_index(&self, entries: &[(u64, u32)]) -> std::io::Result<()>;
    async fn sync(&self) -> std::io::Result<()>;
}

struct Engine<S> {
    space: S,
    applied: Arc<AtomicUsize>,
}

impl<S: Space> Engine<S> {
    async fn apply_batch(&self, batch: &[Operation]) -> Result<(), PersistenceError> {
        let mut pages: Vec<u32> = batch.iter().map(|op| op.page).collect();
        pages.sort_unstable();
        pages.dedup();
        for page in pages {
            let rows: Vec<Bytes> =
                batch.iter().filter(|op| op.page == page).map(|op| op.row.clone()).collect();
            self.space.write_rows(page, &rows).await?;
        }
        let entries: Vec<(u64, u32)> = batch.iter().map(|op| (op.primary_key, op.page)).collect();
        self.space.write_index(&entries).await?;
        self.space.sync().await?;
        self.applied.fetch_add(batch.len(), Ordering::Relaxed);
        Ok(())
    }
}

pub struct PersistenceTask {
    queue: Mutex<Option<mpsc::UnboundedSender<Operation>>>,
    engine: Mutex<Option<JoinHandle<Result<(), PersistenceError>>>>,
    applied: Arc<AtomicUsize>,
}

impl PersistenceTask {
    pub fn run<S: Space>(space: S, max_batch: usize) -> Self {
        let (queue, mut incoming) = mpsc::unbounded_channel();
        let applied = Arc::new(AtomicUsize::new(0));
        let engine = Engine { space, applied: applied.clone() };
        let task = tokio::spawn(async move {
            let mut batch = Vec::with_capacity(max_batch);
            while incoming.recv_many(&mut batch, max_batch).await > 0 {
                engine.apply_batch(&batch).await?;
                batch.clear();
            }
            Ok(())
        });
        Self { queue: Mutex::new(Some(queue)), engine: Mutex::new(Some(task)), applied }
    }

    pub fn apply(&self, op: Operation) -> Result<(), PersistenceError> {
        let queue = self.queue.lock();
        let queue = queue.as_ref().ok_or(PersistenceError::Closed)?;
        queue.send(op).map_err(|_| PersistenceError::Closed)
    }

    pub fn applied(&self) -> usize {
        self.applied.load(Ordering::Relaxed)
    }

    pub async fn close(&self) -> Result<(), PersistenceError> {
        drop(self.queue.lock().take());
        let task = self.engine.lock().take();
        if let Some(task) = task {
            // The queue is closed: the engine drains it, finishes its batch and ends by itself.
            match task.await {
                Ok(result) => result?,
                Err(e) if e.is_cancelled() => tracing::debug!("the runtime is going away"),
                Err(e) => std::panic::resume_unwind(e.into_panic()),
            }
        }
        Ok(())
    }
}

pub struct Table {
    name: String,
    persistence: PersistenceTask,
}

impl Table {
    pub fn open<S: Space>(name: &str, space: S) -> Self {
        Self { name: name.to_owned(), persistence: PersistenceTask::run(space, 64) }
    }

    pub fn insert(&self, op: Operation) -> Result<(), PersistenceError> {
        self.persistence.apply(op)
    }

    pub async fn close(self) -> Result<usize, PersistenceError> {
        self.persistence.close().await?;
        tracing::info!(table = %self.name, "closed");
        Ok(self.persistence.applied())
    }
}

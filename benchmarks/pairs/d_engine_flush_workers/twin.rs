// deventlab/d-engine issue #157 (as suggested there): every worker is awaited, with a time limit; one which is too slow is aborted and
// awaited too, so none of them runs when the storage is closed, and their errors are reported.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, Mutex};
use tokio::task::JoinHandle;

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub index: u64,
    pub term: u64,
    pub payload: Vec<u8>,
}

#[derive(Debug)]
pub enum StorageError {
    Closed,
    WorkerFailed(String),
}

#[derive(Default)]
pub struct LogStore {
    inner: Mutex<LogStoreInner>,
}

#[derive(Default)]
struct LogStoreInner {
    entries: BTreeMap<u64, Entry>,
    closed: bool,
}

impl LogStore {
    pub async fn persist_entries(&self, batch: Vec<Entry>) -> Result<(), StorageError> {
        for entry in batch {
            tokio::time::sleep(Duration::from_millis(1)).await; // the disk
            let mut inner = self.inner.lock().await;
            if inner.closed {
                return Err(StorageError::Closed);
            }
            inner.entries.insert(entry.index, entry);
        }
        Ok(())
    }

    pub async fn last_index(&self) -> u64 {
        self.inner.lock().await.entries.keys().next_back().copied().unwrap_or(0)
    }

    pub async fn close(&self) {
        self.inner.lock().await.closed = true;
    }
}

struct FlushWorkers {
    sender: Option<mpsc::Sender<Vec<Entry>>>,
    worker_handles: Vec<JoinHandle<Result<(), StorageError>>>,
}

pub struct BufferedRaftLog {
    log_store: Arc<LogStore>,
    flush_workers: FlushWorkers,
}

impl BufferedRaftLog {
    pub fn new(log_store: Arc<LogStore>, workers: usize, queue: usize) -> Self {
        let (sender, receiver) = mpsc::channel::<Vec<Entry>>(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let worker_handles = (0..workers)
            .map(|_| {
                let (receiver, log_store) = (receiver.clone(), log_store.clone());
                tokio::spawn(async move {
                    loop {
                        let batch = receiver.lock().await.recv().await;
                        match batch {
                            Some(batch) => log_store.persist_entries(batch).await?,
                            None => return Ok(()),
                        }
                    }
                })
            })
            .collect();
        Self { log_store, flush_workers: FlushWorkers { sender: Some(sender), worker_handles } }
    }

    pub async fn append(&self, batch: Vec<Entry>) -> Result<(), StorageError> {
        let sender = self.flush_workers.sender.as_ref().ok_or(StorageError::Closed)?;
        sender.send(batch).await.map_err(|_| StorageError::Closed)
    }

    /// Lets the workers flush what was appended, then closes the storage.
    pub async fn close(&mut self) -> Result<(), StorageError> {
        self.flush_workers.sender.take();
        let mut result = Ok(());
        for mut handle in self.flush_workers.worker_handles.drain(..) {
            let joined = match tokio::time::timeout(Duration::from_secs(2), &mut handle).await {
                Ok(joined) => joined,
                Err(_) => {
                    handle.abort();
                    handle.await
                }
            };
            match joined {
                Ok(Ok(())) => {}
                Ok(Err(e)) => result = Err(e),
                Err(e) => result = Err(StorageError::WorkerFailed(e.to_string())),
            }
        }
        self.log_store.close().await;
        result
    }
}

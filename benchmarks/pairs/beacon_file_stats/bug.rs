// Modelled on maris-development/beacon issue #396 ("A background pass holds the database file after a runtime drop").
// `Drop` of the service aborts its task, but the task itself owns an `Arc` of the service: `Drop` never runs,
// the pass goes on for ever and the lock on the database file is never released.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::task::JoinHandle;
use tokio::time::{interval, MissedTickBehavior};

#[derive(Debug, Error)]
pub enum StatsError {
    #[error("{0} is locked by another instance")]
    Locked(PathBuf),
    #[error("i/o: {0}")]
    Io(#[from] std::io::Error),
}

#[derive(Debug, Clone, Default)]
pub struct FileStats {
    pub rows: u64,
    pub bytes: u64,
}

/// Holds the lock of the database file as long as it lives.
pub struct Database {
    path: PathBuf,
    lock: PathBuf,
    table: Mutex<HashMap<String, FileStats>>,
}

impl Database {
    pub fn open(path: &Path) -> Result<Self, StatsError> {
        let lock = path.with_extension("lock");
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&lock)
            .map_err(|_| StatsError::Locked(path.to_owned()))?;
        Ok(Self { path: path.to_owned(), lock, table: Mutex::default() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.lock);
    }
}

#[async_trait]
pub trait ObjectStore: Send + Sync + 'static {
    async fn list(&self) -> Result<Vec<String>, StatsError>;
    async fn stat(&self, name: &str) -> Result<FileStats, StatsError>;
}

pub struct FileStatsService {
    database: Database,
    store: Arc<dyn ObjectStore>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl FileStatsService {
    pub fn start(database: Database, store: Arc<dyn ObjectStore>, every: Duration) -> Arc<Self> {
        let service = Arc::new(Self { database, store, tasks: Mutex::default() });
        let this = service.clone(); //~
        let timer = tokio::spawn(async move {
            let mut ticks = interval(every);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                if let Err(e) = this.collect().await { //~
                    tracing::warn!(error = %e, "collecting file statistics failed");
                }
            }
        });
        service.tasks.lock().push(timer); //~
        service
    }

    async fn collect(&self) -> Result<(), StatsError> {
        for name in self.store.list().await? {
            let stats = self.store.stat(&name).await?;
            self.database.table.lock().insert(name, stats);
        }
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<FileStats> {
        self.database.table.lock().get(name).cloned()
    }
}

impl Drop for FileStatsService {
    fn drop(&mut self) {
        for task in self.tasks.lock().drain(..) {
            task.abort();
        }
    }
}

// clockworklabs/SpacetimeDB PR #2881
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;

pub type Row = (String, u64);

#[derive(Debug, Clone)]
pub enum Update {
    Initial(Vec<Row>),
    Commit(Row),
}

#[derive(Debug)]
pub enum DbError {
    Io(io::Error),
    Join(String),
    Reducer(String),
}

impl From<io::Error> for DbError {
    fn from(err: io::Error) -> Self {
        DbError::Io(err)
    }
}

struct Committed {
    rows: BTreeMap<String, u64>,
    log: File,
}

pub struct RelationalDb {
    committed: RwLock<Committed>,
    subscribers: Mutex<Vec<mpsc::UnboundedSender<Update>>>,
}

impl RelationalDb {
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            committed: RwLock::new(Committed {
                rows: BTreeMap::new(),
                log,
            }),
            subscribers: Mutex::new(Vec::new()),
        })
    }

    fn run_reducer<F>(&self, key: &str, reducer: F) -> Result<u64, DbError>
    where
        F: FnOnce(u64) -> Result<u64, String>,
    {
        let mut tx = self.committed.write();
        let old = tx.rows.get(key).copied().unwrap_or(0);
        let new = reducer(old).map_err(DbError::Reducer)?;
        writeln!(tx.log, "{key}={new}")?;
        tx.log.sync_all()?;
        tx.rows.insert(key.to_string(), new);
        let update = Update::Commit((key.to_string(), new));
        self.subscribers
            .lock()
            .retain(|s| s.send(update.clone()).is_ok());
        Ok(new)
    }

    fn add_subscription(&self, prefix: &str, sender: mpsc::UnboundedSender<Update>) -> usize {
        let tx = self.committed.read();
        let rows: Vec<Row> = tx
            .rows
            .range(prefix.to_string()..)
            .take_while(|(k, _)| k.starts_with(prefix))
            .map(|(k, v)| (k.clone(), *v))
            .collect();
        let count = rows.len();
        let _ = sender.send(Update::Initial(rows));
        self.subscribers.lock().push(sender);
        count
    }
}

#[derive(Clone)]
pub struct ModuleHost {
    db: Arc<RelationalDb>,
}

impl ModuleHost {
    pub fn new(db: Arc<RelationalDb>) -> Self {
        Self { db }
    }

    pub async fn call_reducer<F>(&self, key: String, reducer: F) -> Result<u64, DbError>
    where
        F: FnOnce(u64) -> Result<u64, String> + Send + 'static,
    {
        self.with_db(move |db| db.run_reducer(&key, reducer)).await?
    }

    pub async fn subscribe(
        &self,
        prefix: String,
        sender: mpsc::UnboundedSender<Update>,
    ) -> Result<usize, DbError> {
        self.with_db(move |db| db.add_subscription(&prefix, sender)).await
    }

    async fn with_db<R, F>(&self, f: F) -> Result<R, DbError>
    where
        R: Send + 'static,
        F: FnOnce(&RelationalDb) -> R + Send + 'static,
    {
        let db = Arc::clone(&self.db);
        tokio::task::spawn_blocking(move || f(&db))
            .await
            .map_err(|err| DbError::Join(err.to_string()))
    }
}

// prisma-risk/tsoracle, PR #426: build and install go through commit_snapshot, which holds a persist lock from its look at the current snapshot to the publication of the new one and leaves out what is not newer, so neither disk nor memory ever goes back.
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::info;

#[derive(Debug)]
pub enum StorageError {
    Io(std::io::Error),
    Corrupt(&'static str),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogId {
    pub term: u64,
    pub index: u64,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub log_id: LogId,
    pub window: String,
    pub upper_bound: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub last_log_id: LogId,
    pub windows: BTreeMap<String, u64>,
}

/// Where the last snapshot is kept for a restart.
#[async_trait]
pub trait SnapshotStore: Send + Sync + 'static {
    async fn save(&self, snapshot: &Snapshot) -> Result<(), StorageError>;
    async fn load(&self) -> Result<Option<Snapshot>, StorageError>;
}

#[derive(Default)]
struct Core {
    last_applied: LogId,
    windows: BTreeMap<String, u64>,
    current_snapshot: Option<Snapshot>,
}

impl Core {
    fn adopt(&mut self, snapshot: &Snapshot) {
        if snapshot.last_log_id > self.last_applied {
            self.last_applied = snapshot.last_log_id;
            self.windows = snapshot.windows.clone();
        }
    }
}

/// The state machine; raft builds snapshots on a clone of it.
#[derive(Clone)]
pub struct StateMachine {
    core: Arc<Mutex<Core>>,
    /// Held over save and publication; apart from `core`, which must not wait for the disk.
    persist: Arc<tokio::sync::Mutex<()>>,
    store: Arc<dyn SnapshotStore>,
}

impl StateMachine {
    /// Recovers from the snapshot on disk; raft applies the log behind it.
    pub async fn with_store(store: Arc<dyn SnapshotStore>) -> Result<Self, StorageError> {
        let mut core = Core::default();
        if let Some(snapshot) = store.load().await? {
            core.adopt(&snapshot);
            core.current_snapshot = Some(snapshot);
        }
        Ok(Self { core: Arc::new(Mutex::new(core)), persist: Arc::default(), store })
    }

    pub fn apply(&self, entries: &[Entry]) -> Result<LogId, StorageError> {
        let mut core = self.core.lock();
        for entry in entries {
            if entry.log_id <= core.last_applied {
                continue;
            }
            let bound = core.windows.entry(entry.window.clone()).or_insert(0);
            *bound = entry.upper_bound.max(*bound);
            core.last_applied = entry.log_id;
        }
        Ok(core.last_applied)
    }

    /// Saves and publishes a snapshot unless there is one that is as new; returns the current one.
    async fn commit_snapshot(&self, snapshot: Snapshot) -> Result<Snapshot, StorageError> {
        let _persisting = self.persist.lock().await;
        let current = self.current_snapshot();
        if let Some(current) = current.filter(|current| current.last_log_id >= snapshot.last_log_id) {
            return Ok(current);
        }
        self.store.save(&snapshot).await?;
        let mut core = self.core.lock();
        core.adopt(&snapshot);
        core.current_snapshot = Some(snapshot.clone());
        Ok(snapshot)
    }

    pub async fn build_snapshot(&self) -> Result<Snapshot, StorageError> {
        let snapshot = {
            let core = self.core.lock();
            Snapshot { last_log_id: core.last_applied, windows: core.windows.clone() }
        };
        let snapshot = self.commit_snapshot(snapshot).await?;
        info!(last = ?snapshot.last_log_id, "snapshot built");
        Ok(snapshot)
    }

    /// Takes over a snapshot that the leader has sent.
    pub async fn install_snapshot(&self, snapshot: Snapshot) -> Result<(), StorageError> {
        if snapshot.last_log_id == LogId::default() && !snapshot.windows.is_empty() {
            return Err(StorageError::Corrupt("snapshot without a log id"));
        }
        self.commit_snapshot(snapshot).await.map(|_| ())
    }

    pub fn current_snapshot(&self) -> Option<Snapshot> {
        self.core.lock().current_snapshot.clone()
    }

    pub fn upper_bound(&self, window: &str) -> Option<u64> {
        self.core.lock().windows.get(window).copied()
    }
}

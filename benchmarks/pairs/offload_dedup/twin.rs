// Source: hit-box/hitbox issue #208 / PR #233 (TOCTOU in offload dedup check)
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use tokio_util::task::TaskTracker;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OffloadKey {
    pub kind: &'static str,
    pub key: String,
}

impl OffloadKey {
    pub fn revalidate(key: impl Into<String>) -> Self {
        OffloadKey { kind: "revalidate", key: key.into() }
    }
}

#[derive(Clone, Debug)]
pub struct OffloadConfig {
    pub task_timeout: Duration,
}

impl Default for OffloadConfig {
    fn default() -> Self {
        OffloadConfig { task_timeout: Duration::from_secs(30) }
    }
}

type TaskMap = Arc<DashMap<OffloadKey, Instant>>;

struct TaskSlot {
    tasks: TaskMap,
    key: OffloadKey,
}

impl Drop for TaskSlot {
    fn drop(&mut self) {
        self.tasks.remove(&self.key);
    }
}

#[derive(Clone, Default)]
pub struct OffloadManager {
    config: OffloadConfig,
    tasks: TaskMap,
    tracker: TaskTracker,
    deduplicated: Arc<AtomicU64>,
}

impl OffloadManager {
    pub fn new(config: OffloadConfig) -> Self {
        OffloadManager { config, ..Default::default() }
    }

    pub fn spawn_with_key<F>(&self, key: OffloadKey, task: F) -> bool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if !self.claim(&key) {
            self.deduplicated.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        self.spawn_tracked(key, task);
        true
    }

    fn claim(&self, key: &OffloadKey) -> bool {
        match self.tasks.entry(key.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(slot) => {
                slot.insert(Instant::now());
                true
            }
        }
    }

    fn spawn_tracked<F>(&self, key: OffloadKey, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let slot = TaskSlot { tasks: self.tasks.clone(), key };
        let timeout = self.config.task_timeout;
        self.tracker.spawn(async move {
            if tokio::time::timeout(timeout, task).await.is_err() {
                tracing::warn!(key = %slot.key.key, "offloaded task timed out");
            }
            drop(slot);
        });
    }

    pub fn running_for(&self, key: &OffloadKey) -> Option<Duration> {
        self.tasks.get(key).map(|started| started.elapsed())
    }

    pub fn deduplicated(&self) -> u64 {
        self.deduplicated.load(Ordering::Relaxed)
    }

    pub async fn shutdown(self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}

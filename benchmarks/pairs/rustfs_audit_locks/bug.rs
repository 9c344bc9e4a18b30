// rustfs/rustfs PR #4421
use async_trait::async_trait;
use indexmap::IndexMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, RwLock};
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};

#[derive(Debug, Clone)]
pub struct AuditEntry {
    pub event: String,
    pub bucket: String,
}

#[async_trait]
pub trait AuditTarget: Send + Sync {
    fn id(&self) -> &str;
    async fn send(&self, entry: &AuditEntry) -> Result<(), String>;
    async fn replay(&self) -> Result<usize, String>;
}

pub type SharedTarget = Arc<dyn AuditTarget>;

#[derive(Default)]
pub struct AuditRegistry {
    targets: IndexMap<String, SharedTarget>,
}

#[derive(Default)]
pub struct ReplayWorkerManager {
    workers: IndexMap<String, AbortOnDropHandle<()>>,
}

impl ReplayWorkerManager {
    fn start(&mut self, target: SharedTarget) {
        let id = target.id().to_string();
        let worker = tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_secs(30));
            loop {
                tick.tick().await;
                match target.replay().await {
                    Ok(n) => info!(id = target.id(), n, "replayed"),
                    Err(err) => warn!(id = target.id(), "replay: {err}"),
                }
            }
        });
        self.workers.insert(id, AbortOnDropHandle::new(worker));
    }

    async fn stop_all(&mut self) {
        for (id, worker) in self.workers.drain(..) {
            worker.abort();
            if worker.await.is_err_and(|err| err.is_panic()) {
                warn!(%id, "replay worker panicked");
            }
        }
    }

    fn is_running(&self, id: &str) -> bool {
        self.workers.get(id).is_some_and(|w| !w.is_finished())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetStatus {
    pub id: String,
    pub replay_running: bool,
}

#[derive(Clone, Default)]
pub struct AuditSystem {
    registry: Arc<Mutex<AuditRegistry>>,
    stream_cancellers: Arc<RwLock<ReplayWorkerManager>>,
}

impl AuditSystem {
    pub async fn replace_targets(&self, targets: Vec<SharedTarget>) {
        let mut registry = self.registry.lock().await;
        let mut cancellers = self.stream_cancellers.write().await;
        cancellers.stop_all().await;
        registry.targets.clear();
        for target in targets {
            registry.targets.insert(target.id().to_string(), target.clone());
            cancellers.start(target);
        }
    }

    pub async fn clear_runtime_targets(&self) -> usize {
        let mut registry = self.registry.lock().await;
        let mut cancellers = self.stream_cancellers.write().await;
        cancellers.stop_all().await;
        std::mem::take(&mut registry.targets).len()
    }

    pub async fn runtime_status_snapshot(&self) -> Vec<TargetStatus> {
        let cancellers = self.stream_cancellers.read().await;
        let registry = self.registry.lock().await;
        registry
            .targets
            .keys()
            .map(|id| TargetStatus {
                id: id.clone(),
                replay_running: cancellers.is_running(id),
            })
            .collect()
    }

    pub async fn dispatch(&self, entry: AuditEntry) -> usize {
        let targets: Vec<_> = self.registry.lock().await.targets.values().cloned().collect();
        let mut delivered = 0;
        for target in targets {
            match target.send(&entry).await {
                Ok(()) => delivered += 1,
                Err(err) => warn!(id = target.id(), "send: {err}"),
            }
        }
        delivered
    }
}

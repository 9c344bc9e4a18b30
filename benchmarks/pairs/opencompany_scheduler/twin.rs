// tinyhumansai/opencompany, PR #231: one Notified is made before the task is spawned and polled in all rounds; it remembers a notify_waiters() since it was made, also one that comes during a tick or before the task runs at all.
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Notify, RwLock};
use tokio::task::JoinHandle;
use tracing::{error, info};

#[derive(Debug)]
pub enum CycleError {
    Refused(String),
    Agent(String),
}

/// What a company does at the times that its schedule names.
#[async_trait]
pub trait Company: Send + Sync {
    fn id(&self) -> &str;
    fn is_due(&self, minute: u64) -> bool;
    async fn run_cycle(&self, minute: u64) -> Result<(), CycleError>;
}

#[derive(Default)]
pub struct CompanyRegistry {
    companies: RwLock<BTreeMap<String, Arc<dyn Company>>>,
}

impl CompanyRegistry {
    pub async fn insert(&self, company: Arc<dyn Company>) {
        self.companies.write().await.insert(company.id().to_owned(), company);
    }

    async fn due(&self, minute: u64) -> Vec<Arc<dyn Company>> {
        self.companies.read().await.values().filter(|company| company.is_due(minute)).cloned().collect()
    }
}

pub struct CompanyScheduler {
    registry: Arc<CompanyRegistry>,
    interval: Duration,
    minute: AtomicU64,
}

impl CompanyScheduler {
    pub fn new(registry: Arc<CompanyRegistry>, interval: Duration) -> Self {
        Self { registry, interval, minute: AtomicU64::new(0) }
    }

    async fn tick(&self) {
        let minute = self.minute.fetch_add(1, Ordering::Relaxed);
        for company in self.registry.due(minute).await {
            if let Err(err) = company.run_cycle(minute).await {
                error!(company = company.id(), "cycle failed: {err:?}");
            }
        }
    }

    /// Runs until `shutdown` is notified; a tick that is under way is finished.
    pub fn spawn(self, shutdown: Arc<Notify>) -> JoinHandle<()> {
        let stopped = shutdown.notified_owned();
        tokio::spawn(async move {
            tokio::pin!(stopped);
            loop {
                tokio::select! {
                    biased;
                    _ = &mut stopped => break,
                    _ = tokio::time::sleep(self.interval) => self.tick().await,
                }
            }
            info!("scheduler has stopped");
        })
    }
}

/// The parts of the server that run in the background.
pub struct Runtime {
    registry: Arc<CompanyRegistry>,
    shutdown: Arc<Notify>,
    schedulers: Mutex<Vec<JoinHandle<()>>>,
}

impl Runtime {
    pub fn boot(intervals: impl IntoIterator<Item = Duration>) -> Self {
        let registry = Arc::new(CompanyRegistry::default());
        let shutdown = Arc::new(Notify::new());
        let schedulers = intervals
            .into_iter()
            .map(|interval| CompanyScheduler::new(registry.clone(), interval).spawn(shutdown.clone()))
            .collect();
        Self { registry, shutdown, schedulers: Mutex::new(schedulers) }
    }

    pub fn registry(&self) -> &Arc<CompanyRegistry> {
        &self.registry
    }

    /// Stops the schedulers and waits for their last tick.
    pub async fn shutdown(&self) {
        self.shutdown.notify_waiters();
        let mut schedulers = self.schedulers.lock().await;
        while let Some(scheduler) = schedulers.last_mut() {
            if let Err(err) = scheduler.await {
                error!("scheduler failed: {err}");
            }
            schedulers.pop();
        }
    }
}

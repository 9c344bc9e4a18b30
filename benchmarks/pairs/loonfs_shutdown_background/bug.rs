// loonfs/loonfs, PR #246: a publish claims its namespace and spawns the maintenance later; close() may set the flag and drain the (still empty) list of tasks in between, and the tick that was claimed is spawned, and runs, after close() has returned.
use parking_lot::Mutex;
use std::collections::HashSet;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use tokio::task::JoinHandle;
use tracing::{debug, warn};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamespaceId(pub String);

#[derive(Debug)]
pub enum FsError {
    Store(std::io::Error),
}

#[async_trait::async_trait]
pub trait ObjectStore: Send + Sync + 'static {
    async fn publish(&self, namespace: &NamespaceId, manifest: Vec<u8>) -> Result<u64, FsError>;
    async fn compact(&self, namespace: &NamespaceId, up_to: u64) -> Result<(), FsError>;
}

/// Work that goes on behind the foreground calls, at most one for each namespace.
#[derive(Default)]
struct BackgroundWork {
    shutdown: AtomicBool,
    claims: Mutex<HashSet<NamespaceId>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// What shutdown waits for; kept here, so that a cancelled one loses nothing.
    draining: tokio::sync::Mutex<Vec<JoinHandle<()>>>,
}

/// The slot of a namespace, free again when this is dropped.
struct Claim {
    work: Arc<BackgroundWork>,
    namespace: NamespaceId,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.work.claims.lock().remove(&self.namespace);
    }
}

impl BackgroundWork {
    fn try_claim(self: &Arc<Self>, namespace: &NamespaceId) -> Option<Claim> {
        if self.shutdown.load(Ordering::SeqCst) { //~
            return None;
        }
        let claimed = self.claims.lock().insert(namespace.clone());
        claimed.then(|| Claim { work: self.clone(), namespace: namespace.clone() })
    }

    fn spawn<F>(&self, claim: Claim, tick: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = async move {
            tick.await;
            drop(claim);
        };
        let mut tasks = self.tasks.lock();
        tasks.retain(|task| !task.is_finished());
        tasks.push(tokio::spawn(task)); //~
    }

    async fn shutdown(&self) {
        self.shutdown.store(true, Ordering::SeqCst);
        let mut draining = self.draining.lock().await;
        draining.append(&mut self.tasks.lock()); //~
        while let Some(task) = draining.last_mut() {
            if let Err(err) = task.await {
                warn!("background task failed: {err}");
            }
            draining.pop();
        }
    }
}

pub struct FsWriter<S> {
    store: Arc<S>,
    background: Arc<BackgroundWork>,
    compact_every: u64,
}

impl<S: ObjectStore> FsWriter<S> {
    pub fn new(store: S, compact_every: u64) -> Self {
        Self { store: Arc::new(store), background: Arc::default(), compact_every }
    }

    /// Publishes a manifest; a maintenance tick may follow in the background.
    pub async fn publish(&self, namespace: &NamespaceId, manifest: Vec<u8>) -> Result<u64, FsError> {
        let sequence = self.store.publish(namespace, manifest).await?;
        if sequence % self.compact_every == 0 {
            self.schedule_maintenance(namespace, sequence);
        }
        Ok(sequence)
    }

    fn schedule_maintenance(&self, namespace: &NamespaceId, up_to: u64) {
        let Some(claim) = self.background.try_claim(namespace) else {
            debug!(?namespace, "maintenance is under way or shut down");
            return;
        };
        let (store, namespace) = (self.store.clone(), namespace.clone());
        self.background.spawn(claim, async move {
            if let Err(err) = store.compact(&namespace, up_to).await {
                warn!(?namespace, "compaction failed: {err:?}");
            }
        });
    }

    /// Settles all background work; none runs after this. Foreground calls go on to work.
    pub async fn shutdown_background(&self) {
        self.background.shutdown().await;
    }
}

// Modelled on worldcoin/signup-sequencer PR #304 ("Catch panics and errors in background threads").
// The background tasks return `anyhow::Result` into a JoinHandle that is only ever aborted: when one of
// them fails nobody sees the error, and the sequencer goes on accepting identities it never inserts.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, Context, Result};
use async_trait::async_trait;
use tokio::select;
use tokio::sync::{mpsc, Notify, RwLock};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::{info, instrument};

pub type Hash = [u8; 32];

#[async_trait]
pub trait Database: Send + Sync + 'static {
    async fn unprocessed(&self, limit: usize) -> Result<Vec<Hash>>;
    async fn mark_pending(&self, root: Hash, identities: &[Hash]) -> Result<()>;
}

#[async_trait]
pub trait IdentityManager: Send + Sync + 'static {
    async fn register(&self, identities: &[Hash]) -> Result<Hash>;
    async fn mined(&self, root: Hash) -> Result<bool>;
}

struct RunningInstance {
    process_identities: JoinHandle<Result<()>>,
    mine_identities: JoinHandle<Result<()>>,
    cancel: CancellationToken,
}

pub struct TaskMonitor<D, M> {
    database: Arc<D>,
    manager: Arc<M>,
    wake: Arc<Notify>,
    instance: RwLock<Option<RunningInstance>>,
    batch_size: usize,
}

impl<D: Database, M: IdentityManager> TaskMonitor<D, M> {
    pub fn new(database: Arc<D>, manager: Arc<M>, batch_size: usize) -> Self {
        Self {
            database,
            manager,
            wake: Arc::new(Notify::new()),
            instance: RwLock::new(None),
            batch_size,
        }
    }

    #[instrument(skip_all)]
    pub async fn start(&self) {
        let mut instance = self.instance.write().await;
        if instance.is_some() {
            return;
        }
        let (sender, receiver) = mpsc::channel(32);
        let cancel = CancellationToken::new();
        let process_identities = tokio::spawn(process_identities( //~
            self.database.clone(),
            self.manager.clone(),
            self.wake.clone(),
            sender,
            cancel.clone(),
            self.batch_size,
        ));
        let mine_identities = tokio::spawn(mine_identities(self.manager.clone(), receiver, cancel.clone())); //~
        *instance = Some(RunningInstance { process_identities, mine_identities, cancel });
    }

    pub fn identity_added(&self) {
        self.wake.notify_one();
    }

    pub async fn shutdown(&self) {
        let running = self.instance.write().await.take();
        if let Some(running) = running {
            running.cancel.cancel();
            let _ = running.process_identities.await; //~
            let _ = running.mine_identities.await; //~
        }
    }
}

async fn process_identities<D: Database, M: IdentityManager>(
    database: Arc<D>,
    manager: Arc<M>,
    wake: Arc<Notify>,
    pending: mpsc::Sender<Hash>,
    cancel: CancellationToken,
    batch_size: usize,
) -> Result<()> {
    loop {
        select! {
            _ = wake.notified() => {}
            _ = cancel.cancelled() => return Ok(()),
        }
        let batch = database.unprocessed(batch_size).await.context("reading a batch")?;
        if batch.is_empty() {
            continue;
        }
        let root = manager.register(&batch).await.context("registering a batch")?;
        database.mark_pending(root, &batch).await?;
        pending.send(root).await.map_err(|_| anyhow!("the miner is gone"))?;
    }
}

async fn mine_identities<M: IdentityManager>(
    manager: Arc<M>,
    mut pending: mpsc::Receiver<Hash>,
    cancel: CancellationToken,
) -> Result<()> {
    loop {
        let root = select! {
            root = pending.recv() => root.ok_or_else(|| anyhow!("no more batches"))?,
            _ = cancel.cancelled() => return Ok(()),
        };
        while !manager.mined(root).await? {
            select! {
                _ = tokio::time::sleep(Duration::from_secs(1)) => {}
                _ = cancel.cancelled() => return Ok(()),
            }
        }
        info!("batch mined");
    }
}

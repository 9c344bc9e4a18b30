// Satellite-im/Warp PR #423: no `Drop` which reads `Arc::strong_count`; the handle shares a guard in an `Arc` whose own drop,
// run exactly once by the last clone, cancels the task.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

pub type Cid = String;

#[derive(Debug, Clone, Default)]
pub struct RootDocument {
    pub identities: Option<Cid>,
    pub packages: Option<Cid>,
    pub mailbox: BTreeMap<String, Cid>,
}

enum RootCommand {
    SetIdentityList { link: Cid, response: oneshot::Sender<()> },
    SetPackages { link: Cid, response: oneshot::Sender<()> },
    Get { response: oneshot::Sender<RootDocument> },
}

#[derive(Debug, Clone)]
pub struct RootStorage {
    tx: mpsc::Sender<RootCommand>,
    /// Cancels the task when the last clone is gone; the `Arc` itself knows which one that is.
    _guard: Arc<DropGuard>,
}

impl RootStorage {
    pub fn new(path: PathBuf) -> Self {
        let (tx, rx) = mpsc::channel(1);
        let mut task = RootStorageTask { path, root: RootDocument::default(), dirty: false, rx };
        let token = CancellationToken::new();
        let guard = token.clone().drop_guard();
        tokio::spawn(async move {
            tokio::select! {
                _ = token.cancelled() => {}
                _ = task.run() => {}
            }
        });
        Self { tx, _guard: Arc::new(guard) }
    }

    pub async fn set_identity_list(&self, link: Cid) -> anyhow::Result<()> {
        let (response, rx) = oneshot::channel();
        self.tx.send(RootCommand::SetIdentityList { link, response }).await?;
        Ok(rx.await?)
    }

    pub async fn set_packages(&self, link: Cid) -> anyhow::Result<()> {
        let (response, rx) = oneshot::channel();
        self.tx.send(RootCommand::SetPackages { link, response }).await?;
        Ok(rx.await?)
    }

    pub async fn get(&self) -> anyhow::Result<RootDocument> {
        let (response, rx) = oneshot::channel();
        self.tx.send(RootCommand::Get { response }).await?;
        Ok(rx.await?)
    }
}

struct RootStorageTask {
    path: PathBuf,
    root: RootDocument,
    dirty: bool,
    rx: mpsc::Receiver<RootCommand>,
}

impl RootStorageTask {
    async fn run(&mut self) {
        let mut republish = tokio::time::interval(Duration::from_secs(30));
        loop {
            tokio::select! {
                Some(command) = self.rx.recv() => self.handle(command),
                _ = republish.tick() => self.publish().await,
            }
        }
    }

    fn handle(&mut self, command: RootCommand) {
        match command {
            RootCommand::SetIdentityList { link, response } => {
                self.root.identities = Some(link);
                self.dirty = true;
                let _ = response.send(());
            }
            RootCommand::SetPackages { link, response } => {
                self.root.packages = Some(link);
                self.dirty = true;
                let _ = response.send(());
            }
            RootCommand::Get { response } => {
                let _ = response.send(self.root.clone());
            }
        }
    }

    async fn publish(&mut self) {
        if !self.dirty {
            return;
        }
        match tokio::fs::write(&self.path, format!("{:?}", self.root)).await {
            Ok(()) => self.dirty = false,
            Err(e) => tracing::error!("unable to publish the root document: {e}"),
        }
    }
}

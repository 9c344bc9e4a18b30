// Satellite-im/Warp PR #423: the task of a cloneable handle is aborted in `Drop` if `Arc::strong_count` is 1; two clones
// dropped at the same time both still read 2, none aborts, and the task goes on with nobody to stop it.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

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
    task: Arc<tokio::task::JoinHandle<()>>,
}

impl Drop for RootStorage {
    fn drop(&mut self) {
        if Arc::strong_count(&self.task) == 1 && !self.task.is_finished() { //~
            self.task.abort(); //~
        }
    }
}

impl RootStorage {
    pub fn new(path: PathBuf) -> Self {
        let (tx, rx) = mpsc::channel(1);
        let mut task = RootStorageTask { path, root: RootDocument::default(), dirty: false, rx };
        let task = tokio::spawn(async move { task.start().await });
        Self { tx, task: Arc::new(task) }
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
    async fn start(&mut self) {
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

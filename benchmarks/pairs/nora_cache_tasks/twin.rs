// getnora-io/nora issue #315
use async_trait::async_trait;
use bytes::Bytes;
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::task::TaskTracker;
use tracing::error;
use uuid::Uuid;

#[derive(Debug)]
pub enum RegistryError {
    NotFound(String),
    ShuttingDown,
    Io(std::io::Error),
}

#[async_trait]
pub trait Upstream: Send + Sync {
    async fn tarball(&self, name: &str) -> Result<Bytes, RegistryError>;
}

pub struct LocalStorage {
    root: PathBuf,
}

impl LocalStorage {
    pub async fn get(&self, key: &str) -> Option<Bytes> {
        tokio::fs::read(self.root.join(key)).await.ok().map(Bytes::from)
    }

    pub async fn put(&self, key: &str, data: &[u8]) -> std::io::Result<()> {
        let tmp = self.root.join(format!(".{}.tmp", Uuid::new_v4()));
        tokio::fs::write(&tmp, data).await?;
        tokio::fs::rename(&tmp, self.root.join(key)).await
    }
}

pub struct AppState {
    storage: LocalStorage,
    upstream: Box<dyn Upstream>,
    tasks: TaskTracker,
}

impl AppState {
    pub fn new(root: PathBuf, upstream: Box<dyn Upstream>) -> Arc<Self> {
        Arc::new(Self {
            storage: LocalStorage { root },
            upstream,
            tasks: TaskTracker::new(),
        })
    }

    pub async fn fetch(self: &Arc<Self>, name: &str) -> Result<Bytes, RegistryError> {
        let _request = self.tasks.token();
        if self.tasks.is_closed() {
            return Err(RegistryError::ShuttingDown);
        }
        if let Some(cached) = self.storage.get(name).await {
            return Ok(cached);
        }
        let data = self.upstream.tarball(name).await?;
        self.spawn_cache(name.to_string(), data.clone());
        Ok(data)
    }

    fn spawn_cache(self: &Arc<Self>, key: String, data: Bytes) {
        let state = Arc::clone(self);
        self.tasks.spawn(async move {
            let write = AssertUnwindSafe(state.storage.put(&key, &data)).catch_unwind();
            match write.await {
                Ok(Ok(())) => {}
                Ok(Err(err)) => error!(%key, "cache write failed: {err}"),
                Err(_) => error!(%key, "cache write panicked"),
            }
        });
    }

    pub async fn shutdown(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

struct MirrorUpstream;

#[async_trait]
impl Upstream for MirrorUpstream {
    async fn tarball(&self, name: &str) -> Result<Bytes, RegistryError> {
        tokio::fs::read(PathBuf::from("/srv/mirror").join(name))
            .await
            .map(Bytes::from)
            .map_err(RegistryError::Io)
    }
}

#[tokio::main]
async fn main() {
    let state = AppState::new(PathBuf::from("/var/lib/nora"), Box::new(MirrorUpstream));
    for name in std::env::args().skip(1) {
        match state.fetch(&name).await {
            Ok(data) => println!("{name}: {} bytes", data.len()),
            Err(err) => error!("{name}: {err:?}"),
        }
    }
    state.shutdown().await;
}

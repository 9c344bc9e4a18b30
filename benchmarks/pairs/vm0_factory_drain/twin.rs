// Repaired as in vm0-ai/vm0 PR #8962: the factory has a `Drop` that takes its sender back and aborts the drain task.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum SandboxError {
    #[error("no {0} left")]
    Exhausted(&'static str),
    #[error("the factory has been shut down")]
    ShutDown,
}

pub struct Pool<T> {
    kind: &'static str,
    free: Mutex<VecDeque<T>>,
}

impl<T> Pool<T> {
    fn new(kind: &'static str, items: impl IntoIterator<Item = T>) -> Arc<Self> {
        Arc::new(Self { kind, free: Mutex::new(items.into_iter().collect()) })
    }

    fn acquire(&self) -> Result<T, SandboxError> {
        self.free.lock().unwrap().pop_front().ok_or(SandboxError::Exhausted(self.kind))
    }

    fn release(&self, item: T) {
        self.free.lock().unwrap().push_back(item);
    }
}

struct Resources {
    device: u32,
    netns: String,
}

#[derive(Clone)]
struct Pools {
    devices: Arc<Pool<u32>>,
    netns: Arc<Pool<String>>,
}

impl Pools {
    fn acquire(&self) -> Result<Resources, SandboxError> {
        let device = self.devices.acquire()?;
        match self.netns.acquire() {
            Ok(netns) => Ok(Resources { device, netns }),
            Err(e) => {
                self.devices.release(device);
                Err(e)
            }
        }
    }

    fn release(&self, resources: Resources) {
        self.netns.release(resources.netns);
        self.devices.release(resources.device);
    }
}

pub struct FirecrackerSandbox {
    resources: Option<Resources>,
    pools: Pools,
    leak_tx: mpsc::UnboundedSender<Resources>,
}

impl FirecrackerSandbox {
    /// The regular way: without it the resources are taken for leaked.
    pub fn destroy(mut self) {
        if let Some(resources) = self.resources.take() {
            self.pools.release(resources);
        }
    }
}

impl Drop for FirecrackerSandbox {
    fn drop(&mut self) {
        if let Some(resources) = self.resources.take() {
            if self.leak_tx.send(resources).is_err() {
                tracing::warn!("the factory has gone, the runner's gc has to clean up");
            }
        }
    }
}

pub struct FirecrackerFactory {
    pools: Pools,
    leak_tx: Option<mpsc::UnboundedSender<Resources>>,
    leak_cleanup_handle: Option<JoinHandle<()>>,
}

async fn drain_leaked(pools: Pools, mut rx: mpsc::UnboundedReceiver<Resources>) {
    while let Some(resources) = rx.recv().await {
        tracing::warn!(device = resources.device, "a sandbox was dropped without destroy");
        pools.release(resources);
    }
}

impl FirecrackerFactory {
    pub fn new(devices: u32) -> Self {
        let pools = Pools {
            devices: Pool::new("device", 0..devices),
            netns: Pool::new("netns", (0..devices).map(|n| format!("vm0-{n}"))),
        };
        let (leak_tx, rx) = mpsc::unbounded_channel();
        let leak_cleanup_handle = tokio::spawn(drain_leaked(pools.clone(), rx));
        Self { pools, leak_tx: Some(leak_tx), leak_cleanup_handle: Some(leak_cleanup_handle) }
    }

    pub fn create(&self) -> Result<FirecrackerSandbox, SandboxError> {
        let leak_tx = self.leak_tx.clone().ok_or(SandboxError::ShutDown)?;
        let resources = self.pools.acquire()?;
        Ok(FirecrackerSandbox { resources: Some(resources), pools: self.pools.clone(), leak_tx })
    }

    pub fn shutdown(&mut self) {
        self.abort_leak_drain();
    }

    fn abort_leak_drain(&mut self) {
        self.leak_tx.take();
        if let Some(handle) = self.leak_cleanup_handle.take() {
            handle.abort();
        }
    }
}

impl Drop for FirecrackerFactory {
    fn drop(&mut self) {
        self.abort_leak_drain();
    }
}

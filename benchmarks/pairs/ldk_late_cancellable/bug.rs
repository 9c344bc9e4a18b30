// ldk-node, PR #928: abort_cancellable_background_tasks takes the JoinSet and aborts what is in it; a task that is spawned while the node is stopping lands in the fresh set, is cancelled by nobody and goes on with a store that stop() has closed.
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::{debug, error, info};

pub struct Runtime {
    handle: tokio::runtime::Handle,
    background_tasks: Mutex<JoinSet<()>>,
    cancellable_background_tasks: Mutex<JoinSet<()>>,
}

impl Runtime {
    pub fn with_handle(handle: tokio::runtime::Handle) -> Self {
        Self { handle, background_tasks: Default::default(), cancellable_background_tasks: Default::default() }
    }

    /// Spawns a task which ends by itself when the node stops.
    pub fn spawn_background_task<F: Future<Output = ()> + Send + 'static>(&self, future: F) {
        self.background_tasks.lock().expect("lock").spawn_on(future, &self.handle);
    }

    /// Spawns a task which is aborted when the node stops.
    pub fn spawn_cancellable_background_task<F: Future<Output = ()> + Send + 'static>(&self, future: F) {
        let mut cancellable_background_tasks = self.cancellable_background_tasks.lock().expect("lock");
        cancellable_background_tasks.spawn_on(future, &self.handle); //~
    }

    pub async fn abort_cancellable_background_tasks(&self) {
        let mut tasks = std::mem::take(&mut *self.cancellable_background_tasks.lock().expect("lock")); //~
        tasks.abort_all();
        while tasks.join_next().await.is_some() {}
    }

    pub async fn wait_on_background_tasks(&self) {
        let mut tasks = std::mem::take(&mut *self.background_tasks.lock().expect("lock"));
        loop {
            match tokio::time::timeout(Duration::from_secs(5), tasks.join_next()).await {
                Ok(Some(Ok(()))) => debug!("Stopped background task"),
                Ok(Some(Err(e))) => error!("Stopping background task failed: {e}"),
                Ok(None) => break,
                Err(_) => {
                    error!("Stopping background tasks timed out");
                    tasks.abort_all();
                }
            }
        }
    }
}

pub trait KVStore: Send + Sync + 'static {
    fn open(&self);
    fn write(&self, key: &str, value: &[u8]);
    fn close(&self);
}

pub struct Node { runtime: Runtime, store: Arc<dyn KVStore>, is_running: AtomicBool, stop_sender: watch::Sender<bool>, lifecycle: tokio::sync::Mutex<()> }

impl Node {
    pub fn new(runtime: Runtime, store: Arc<dyn KVStore>) -> Self {
        Self { runtime, store, is_running: AtomicBool::new(false), stop_sender: watch::channel(false).0, lifecycle: Default::default() }
    }

    pub async fn start(&self) {
        let _lifecycle = self.lifecycle.lock().await;
        if self.is_running.swap(true, Ordering::SeqCst) {
            return;
        }
        self.store.open();
        self.stop_sender.send_replace(false);
        let (mut stopped, store) = (self.stop_sender.subscribe(), self.store.clone());
        self.runtime.spawn_background_task(async move {
            let mut tick = tokio::time::interval(Duration::from_secs(60));
            loop {
                tokio::select! {
                    _ = stopped.wait_for(|stop| *stop) => break,
                    _ = tick.tick() => store.write("node_metrics", b"synced"),
                }
            }
        });
        info!("Startup complete.");
    }

    /// Called for every event which needs a peer that is not connected; any thread, any time.
    pub fn reconnect_peer(&self, address: String) {
        let store = self.store.clone();
        self.runtime.spawn_cancellable_background_task(async move {
            loop {
                match tokio::net::TcpStream::connect(&address).await {
                    Ok(_stream) => return store.write("last_connected_peer", address.as_bytes()),
                    Err(e) => debug!("Failed to connect {address}: {e}"),
                }
                tokio::time::sleep(Duration::from_secs(10)).await;
            }
        });
    }

    pub async fn stop(&self) {
        let _lifecycle = self.lifecycle.lock().await;
        if !self.is_running.swap(false, Ordering::SeqCst) {
            return;
        }
        self.stop_sender.send_replace(true);
        self.runtime.abort_cancellable_background_tasks().await;
        self.runtime.wait_on_background_tasks().await;
        self.store.close(); //~
        info!("Shutdown complete.");
    }
}

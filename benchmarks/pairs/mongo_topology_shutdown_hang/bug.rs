// mongodb/mongo-rust-driver PR #1658 (RUST-2394): worker leaves its loop and awaits the monitors while a monitor awaits the worker's ack: deadlock across await, shutdown hangs.
use async_trait::async_trait;
use futures::stream::{FuturesUnordered, StreamExt};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

#[async_trait]
pub trait ConnectionEstablisher: Send + Sync + 'static {
    async fn perform_hello(&self, address: &str) -> u64;
}

enum UpdateMessage {
    ServerUpdate(String, u64),
    Shutdown,
}

type AcknowledgedMessage = (UpdateMessage, oneshot::Sender<bool>);

#[derive(Clone)]
struct TopologyUpdater(mpsc::UnboundedSender<AcknowledgedMessage>);

impl TopologyUpdater {
    async fn send_message(&self, update: UpdateMessage) -> bool {
        let (ack, receiver) = oneshot::channel();
        self.0.send((update, ack)).is_ok() && receiver.await.unwrap_or(false)
    }
}

struct MonitorManager {
    kill: watch::Sender<bool>,
    handle: JoinHandle<()>,
}

impl MonitorManager {
    async fn close_monitor(self) {
        let _ = self.kill.send(true);
        let _ = self.handle.await;
    }
}

async fn run_monitor(
    address: String,
    establisher: Arc<dyn ConnectionEstablisher>,
    topology_updater: TopologyUpdater,
    mut request_receiver: watch::Receiver<bool>,
) {
    while !*request_receiver.borrow() {
        let version = establisher.perform_hello(&address).await;
        let update = UpdateMessage::ServerUpdate(address.clone(), version);
        topology_updater.send_message(update).await;
        let _ = tokio::time::timeout(Duration::from_millis(500), request_receiver.changed()).await;
    }
}

struct TopologyWorker {
    update_receiver: mpsc::UnboundedReceiver<AcknowledgedMessage>,
    versions: HashMap<String, u64>,
    servers: HashMap<String, MonitorManager>,
}

impl TopologyWorker {
    async fn execute(mut self) {
        let mut shutdown_ack = None;
        while let Some((update, ack)) = self.update_receiver.recv().await {
            match update {
                UpdateMessage::ServerUpdate(address, version) => {
                    let previous = self.versions.insert(address, version);
                    let _ = ack.send(previous != Some(version));
                }
                UpdateMessage::Shutdown => {
                    shutdown_ack = Some(ack);
                    break;
                }
            }
        }

        let mut close_futures: FuturesUnordered<_> =
            self.servers.into_values().map(MonitorManager::close_monitor).collect();
        while close_futures.next().await.is_some() {}

        if let Some(ack) = shutdown_ack {
            let _ = ack.send(true);
        }
    }
}

pub struct Topology {
    updater: TopologyUpdater,
}

impl Topology {
    pub fn new(hosts: Vec<String>, establisher: Arc<dyn ConnectionEstablisher>) -> Topology {
        let (sender, update_receiver) = mpsc::unbounded_channel();
        let updater = TopologyUpdater(sender);
        let mut servers = HashMap::new();
        for address in hosts {
            let (kill, killed) = watch::channel(false);
            let monitor = run_monitor(address.clone(), establisher.clone(), updater.clone(), killed);
            servers.insert(address, MonitorManager { kill, handle: tokio::spawn(monitor) });
        }
        tokio::spawn(TopologyWorker { update_receiver, versions: HashMap::new(), servers }.execute());
        Topology { updater }
    }

    pub async fn shutdown(&self) -> bool {
        self.updater.send_message(UpdateMessage::Shutdown).await
    }
}

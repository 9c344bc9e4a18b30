// Libera-Chat/sable, PR #92: Server::run spawns log, node and server task and looks at their results only after the management task has asked for the shutdown; a task that fails early (the log task cannot bind its port) is silent, and the server runs on half dead.
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;
use tracing::{debug, error, info};

#[derive(Clone, Debug, PartialEq)]
pub enum ShutdownAction { Shutdown, Restart, Upgrade }

#[derive(Debug)]
pub enum ManagementCommand { ServerCommand(String), Shutdown(ShutdownAction) }

#[derive(Clone, Debug)]
pub struct Event { pub id: u64, pub line: String }

/// Receives the events of the other servers of the network.
pub struct ReplicatedEventLog { listen_addr: SocketAddr, server_send: mpsc::UnboundedSender<Event>, last_id: AtomicU64 }

impl ReplicatedEventLog {
    pub fn new(listen_addr: SocketAddr, server_send: mpsc::UnboundedSender<Event>) -> Self {
        Self { listen_addr, server_send, last_id: AtomicU64::new(0) }
    }

    /// Starts to sync with the network until the shutdown.
    pub fn start_sync(self: &Arc<Self>, shutdown: broadcast::Receiver<ShutdownAction>) -> JoinHandle<std::io::Result<()>> {
        tokio::spawn(Arc::clone(self).sync_task(shutdown))
    }

    async fn sync_task(self: Arc<Self>, mut shutdown: broadcast::Receiver<ShutdownAction>) -> std::io::Result<()> {
        let listener = TcpListener::bind(self.listen_addr).await?;
        loop {
            let stream = tokio::select! {
                _ = shutdown.recv() => return Ok(()),
                accepted = listener.accept() => accepted?.0,
            };
            let mut lines = BufReader::new(stream).lines();
            loop {
                let line = tokio::select! {
                    _ = shutdown.recv() => return Ok(()),
                    line = lines.next_line() => line,
                };
                let Ok(Some(line)) = line else { break };
                let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
                let _ = self.server_send.send(Event { id, line });
            }
        }
    }
}

pub struct NetworkNode { log: Arc<ReplicatedEventLog>, server_recv: tokio::sync::Mutex<mpsc::UnboundedReceiver<Event>> }

impl NetworkNode {
    pub fn new(log: Arc<ReplicatedEventLog>, server_recv: mpsc::UnboundedReceiver<Event>) -> Self {
        Self { log, server_recv: tokio::sync::Mutex::new(server_recv) }
    }

    pub async fn run(&self, mut shutdown: broadcast::Receiver<ShutdownAction>) {
        let mut events = self.server_recv.lock().await;
        loop {
            tokio::select! {
                _ = shutdown.recv() => break,
                Some(event) = events.recv() => debug!(id = event.id, "applying {}", event.line),
            }
        }
    }

    pub fn handle_management_command(&self, cmd: &str) {
        info!(last_id = self.log.last_id.load(Ordering::Relaxed), "management command {cmd}");
    }
}

pub struct Server { node: Arc<NetworkNode>, log: Arc<ReplicatedEventLog> }

impl Server {
    pub fn new(listen_addr: SocketAddr) -> Self {
        let (server_send, server_recv) = mpsc::unbounded_channel();
        let log = Arc::new(ReplicatedEventLog::new(listen_addr, server_send));
        Self { node: Arc::new(NetworkNode::new(Arc::clone(&log), server_recv)), log }
    }

    pub async fn run(&self, mut management: mpsc::Receiver<ManagementCommand>) -> ShutdownAction {
        let (shutdown_send, shutdown_recv) = broadcast::channel(1);

        let log_task = self.log.start_sync(shutdown_send.subscribe()); //~

        let node = Arc::clone(&self.node);
        let node_task = tokio::spawn(async move { node.run(shutdown_recv).await }); //~

        // The management task will exit on receiving a shutdown command, so just wait for it to finish
        // then propagate the shutdown action
        let action = self.run_management(&mut management).await; //~

        let _ = shutdown_send.send(action.clone());

        node_task.await.expect("Node task panicked"); //~
        log_task.await.expect("Log task panicked?").expect("Log task returned error"); //~

        action
    }

    async fn run_management(&self, management: &mut mpsc::Receiver<ManagementCommand>) -> ShutdownAction {
        loop {
            match management.recv().await {
                Some(ManagementCommand::ServerCommand(cmd)) => self.node.handle_management_command(&cmd),
                Some(ManagementCommand::Shutdown(action)) => return action,
                None => {
                    error!("Lost management server, shutting down");
                    return ShutdownAction::Shutdown;
                }
            }
        }
    }
}

// Modelled on remcostoeten/dora issue #191 ("ConnectionMonitor never drops entries on explicit disconnect, killing a
// reconnected connection"). What is watched is a list, and what has ended is thrown out by the connection's number: the
// old handle of a connection that was made again ends the new one, and takes its entry out of the list.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::RwLock;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub type ConnectionId = uuid::Uuid;
/// The task that drives a connection; it ends when the server closes it, or when the client is dropped.
pub type ConnectionCheck = JoinHandle<()>;

pub trait App: Send + Sync + 'static {
    fn emit_end_of_connection(&self, connection_id: ConnectionId);
}

pub struct Client {
    pub url: String,
    pub closed: CancellationToken,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

pub struct DatabaseConnection {
    pub name: String,
    pub connected: bool,
    pub client: Option<Arc<Client>>,
}

#[derive(Default)]
struct State {
    connections: HashMap<ConnectionId, DatabaseConnection>,
    monitored: Vec<(ConnectionId, ConnectionCheck)>,
}

impl State {
    fn set_client(&mut self, connection_id: ConnectionId, client: Option<Arc<Client>>) {
        if let Some(connection) = self.connections.get_mut(&connection_id) {
            connection.connected = client.is_some();
            connection.client = client;
        }
    }

    fn take_finished(&mut self) -> Vec<ConnectionId> {
        let finished: Vec<ConnectionId> =
            self.monitored.iter().filter(|(_, check)| check.is_finished()).map(|(id, _)| *id).collect();
        self.monitored.retain(|(id, _)| !finished.contains(id)); //~
        finished
    }
}

#[derive(Clone)]
pub struct ConnectionMonitor<A> {
    app: Arc<A>,
    state: Arc<RwLock<State>>,
}

impl<A: App> ConnectionMonitor<A> {
    pub fn new(app: Arc<A>) -> Self {
        Self { app, state: Arc::default() }
    }

    pub async fn add_connection(&self, name: &str) -> ConnectionId {
        let connection_id = Uuid::new_v4();
        let connection = DatabaseConnection { name: name.to_string(), connected: false, client: None };
        self.state.write().await.connections.insert(connection_id, connection);
        connection_id
    }

    pub async fn connected(&self, connection_id: ConnectionId, client: Client, check: ConnectionCheck) {
        let mut state = self.state.write().await;
        state.set_client(connection_id, Some(Arc::new(client)));
        state.monitored.push((connection_id, check)); //~
    }

    pub async fn client(&self, connection_id: ConnectionId) -> Option<Arc<Client>> {
        let state = self.state.read().await;
        state.connections.get(&connection_id).and_then(|c| c.client.clone())
    }

    pub async fn disconnect(&self, connection_id: ConnectionId) {
        let mut state = self.state.write().await;
        state.set_client(connection_id, None);
    }

    /// What the server has closed is shown as closed.
    async fn check(&self) {
        let mut state = self.state.write().await;
        for connection_id in state.take_finished() {
            log::info!("connection {connection_id} has ended");
            state.set_client(connection_id, None); //~
            self.app.emit_end_of_connection(connection_id);
        }
    }

    pub async fn poll(self, stop: CancellationToken) {
        loop {
            self.check().await;
            tokio::select! {
                _ = tokio::time::sleep(Duration::from_secs(5)) => {}
                _ = stop.cancelled() => return,
            }
        }
    }
}

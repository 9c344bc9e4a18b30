// Modelled on gitbutlerapp/gitbutler PR #12956 ("don't hold RwLock guards across await points in IrcManager").
// `set_state` and `remove` keep the guard of the connection map while they await locks inside it and a full
// event channel, whose reader needs the map in turn: the manager locks up.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;
use tokio::sync::{mpsc, RwLock};

#[derive(Debug, Error)]
pub enum IrcError {
    #[error("no connection {0}")]
    NotFound(String),
    #[error("connection {0} exists already")]
    Exists(String),
    #[error("nobody reads the events any more")]
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    Disconnected,
    Connecting,
    Ready,
}

#[derive(Debug, Clone)]
pub enum IrcEvent {
    State { id: String, state: ConnectionState },
    Message { id: String, channel: String, text: String },
}

pub struct IrcClient {
    state: Arc<RwLock<ConnectionState>>,
    event_tx: mpsc::Sender<IrcEvent>,
    channels: Vec<String>,
}

impl IrcClient {
    pub async fn set_state(&self, id: &str, state: ConnectionState) -> Result<(), IrcError> {
        *self.state.write().await = state;
        self.event_tx
            .send(IrcEvent::State { id: id.to_owned(), state })
            .await
            .map_err(|_| IrcError::Closed)
    }

    pub fn state_handle(&self) -> Arc<RwLock<ConnectionState>> {
        self.state.clone()
    }
}

#[derive(Default)]
pub struct MessageStore {
    by_connection: HashMap<String, Vec<String>>,
}

#[derive(Clone, Default)]
pub struct IrcManager {
    connections: Arc<RwLock<HashMap<String, IrcClient>>>,
    store: Arc<RwLock<MessageStore>>,
}

impl IrcManager {
    pub async fn create(&self, id: &str, event_tx: mpsc::Sender<IrcEvent>) -> Result<(), IrcError> {
        let mut connections = self.connections.write().await;
        if connections.contains_key(id) {
            return Err(IrcError::Exists(id.to_owned()));
        }
        let state = Arc::new(RwLock::new(ConnectionState::Disconnected));
        connections.insert(id.to_owned(), IrcClient { state, event_tx, channels: Vec::new() });
        Ok(())
    }

    pub async fn state(&self, id: &str) -> Option<ConnectionState> {
        let handle = self.connections.read().await.get(id).map(IrcClient::state_handle)?;
        let state = *handle.read().await;
        Some(state)
    }

    pub async fn set_state(&self, id: &str, state: ConnectionState) -> Result<(), IrcError> {
        let connections = self.connections.read().await; //~
        let client = connections.get(id).ok_or_else(|| IrcError::NotFound(id.to_owned()))?;
        client.set_state(id, state).await //~
    }

    pub async fn remove(&self, id: &str) -> Result<(), IrcError> {
        let mut connections = self.connections.write().await; //~
        connections.remove(id).ok_or_else(|| IrcError::NotFound(id.to_owned()))?;
        self.store.write().await.by_connection.remove(id); //~
        Ok(())
    }

    /// Reads the events of all connections; runs until the last sender is gone.
    pub async fn run(&self, mut events: mpsc::Receiver<IrcEvent>) {
        while let Some(event) = events.recv().await {
            match event {
                IrcEvent::State { id, state: ConnectionState::Disconnected } => {
                    if let Some(client) = self.connections.write().await.get_mut(&id) {
                        client.channels.clear();
                    }
                }
                IrcEvent::State { id, state } => tracing::debug!(%id, ?state, "state"),
                IrcEvent::Message { id, channel, text } => {
                    let mut store = self.store.write().await;
                    store.by_connection.entry(id).or_default().push(format!("{channel}: {text}"));
                }
            }
        }
    }
}

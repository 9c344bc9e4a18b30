// boundless (order-stream), PR #2067: every connection has an id and both cleanups remove the entry only if it still holds the id they mean; the old task keeps no sender of its own, so replacing the entry ends it.
use futures::{Sink, SinkExt, Stream, StreamExt};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, RwLock};
use tracing::{debug, warn};

pub type Address = [u8; 20];

#[derive(Clone, Debug)]
pub enum Message { Text(String), Ping, Pong, Close }

pub struct OrderStreamConfig { pub max_connections: usize, pub queue_size: usize, pub ping_time: u64 }

static NEXT_CONNECTION_ID: AtomicU64 = AtomicU64::new(1);

pub struct ClientConnection {
    id: u64,
    sender: mpsc::Sender<String>, // Channel to send messages to this client
}

pub type ConnectionsMap = HashMap<Address, ClientConnection>;

pub struct AppState { pub config: OrderStreamConfig, pub connections: RwLock<ConnectionsMap> }

/// Removes the connection of the address if it is the one with this id.
fn remove_connection(connections: &mut ConnectionsMap, address: &Address, id: u64) {
    if connections.get(address).is_some_and(|conn| conn.id == id) {
        connections.remove(address);
    }
}

/// Sends an order to all clients.
pub async fn broadcast_order(order_json: &str, state: Arc<AppState>) {
    let connections_list: Vec<_> = {
        let connections = state.connections.read().await;
        connections.iter().map(|(addr, conn)| (*addr, conn.id, conn.sender.clone())).collect()
    };
    let mut clients_to_remove = Vec::new();
    for (address, id, sender) in connections_list {
        match sender.try_send(order_json.to_string()) {
            Ok(_) => {}
            Err(mpsc::error::TrySendError::Full(_)) => warn!("Client {address:02x?}'s queue is full, message dropped"),
            Err(mpsc::error::TrySendError::Closed(_)) => {
                warn!("Client {address:02x?}'s message queue is closed, removing client");
                clients_to_remove.push((address, id));
            }
        }
    }
    if !clients_to_remove.is_empty() {
        let mut connections = state.connections.write().await;
        for (address, id) in clients_to_remove {
            debug!("Removing client {address:02x?} from connections");
            remove_connection(&mut connections, &address, id);
        }
    }
}

/// Serves one client until it closes, fails, or does not answer a ping.
pub async fn websocket_connection<S, E>(socket: S, address: Address, state: Arc<AppState>)
where
    S: Stream<Item = Result<Message, E>> + Sink<Message, Error = E>,
    E: std::fmt::Debug,
{
    let (mut sender_ws, mut recver_ws) = socket.split();
    let id = NEXT_CONNECTION_ID.fetch_add(1, Ordering::Relaxed);
    let (sender_channel, mut receiver_channel) = mpsc::channel::<String>(state.config.queue_size);
    // Add sender to the list of connections, replacing any existing connection
    {
        let mut connections = state.connections.write().await;
        if !connections.contains_key(&address) && connections.len() >= state.config.max_connections {
            warn!("Server at capacity");
            return;
        }
        let connection = ClientConnection { id, sender: sender_channel };
        if let Some(old_connection) = connections.insert(address, connection) {
            // This makes the receiver of the old connection return None
            drop(old_connection.sender);
            debug!("Replaced existing connection for client {address:02x?}");
        }
    }

    let mut awaits_pong = false;
    let mut ping_interval = tokio::time::interval(Duration::from_secs(state.config.ping_time));
    loop {
        tokio::select! {
            msg = receiver_channel.recv() => match msg {
                Some(msg) => {
                    if let Err(err) = sender_ws.send(Message::Text(msg)).await {
                        warn!("Failed to send message to client {address:02x?}: {err:?}");
                        break;
                    }
                }
                None => break,
            },
            _ = ping_interval.tick() => {
                if awaits_pong {
                    warn!("Client {address:02x?} never responded to ping, closing conn");
                    break;
                }
                if sender_ws.send(Message::Ping).await.is_err() {
                    break;
                }
                awaits_pong = true;
            }
            ws_msg = recver_ws.next() => match ws_msg {
                Some(Ok(Message::Pong)) => awaits_pong = false,
                Some(Ok(Message::Ping)) => {
                    if sender_ws.send(Message::Pong).await.is_err() {
                        break;
                    }
                }
                Some(Ok(Message::Close)) | None => break,
                Some(other) => {
                    warn!("Received unexpected message from {address:02x?}: {other:?}");
                    break;
                }
            }
        }
    }

    // Remove the connection
    let mut connections = state.connections.write().await;
    remove_connection(&mut connections, &address, id);
    debug!("WebSocket connection of {address:02x?} closed");
}

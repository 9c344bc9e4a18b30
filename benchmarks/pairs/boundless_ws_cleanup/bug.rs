// boundless (order-stream), issue #2066: connections are removed by address only; when a broker reconnects with the same address, the cleanup of its old connection (or of a broadcast that found the old sender closed) removes the new connection, which then gets no orders although its socket is open.
use futures::{Sink, SinkExt, Stream, StreamExt};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, RwLock};
use tracing::{debug, warn};

pub type Address = [u8; 20];

#[derive(Clone, Debug)]
pub enum Message { Text(String), Ping, Pong, Close }

pub struct OrderStreamConfig { pub max_connections: usize, pub queue_size: usize, pub ping_time: u64 }

pub struct ClientConnection {
    sender: mpsc::Sender<String>, // Channel to send messages to this client
}

pub type ConnectionsMap = HashMap<Address, ClientConnection>;

pub struct AppState { pub config: OrderStreamConfig, pub connections: RwLock<ConnectionsMap> }

/// Sends an order to all clients.
pub async fn broadcast_order(order_json: &str, state: Arc<AppState>) {
    let connections_list: Vec<_> = {
        let connections = state.connections.read().await;
        connections.iter().map(|(addr, conn)| (*addr, conn.sender.clone())).collect() //~
    };
    let mut clients_to_remove = Vec::new();
    for (address, sender) in connections_list {
        match sender.try_send(order_json.to_string()) {
            Ok(_) => {}
            Err(mpsc::error::TrySendError::Full(_)) => warn!("Client {address:02x?}'s queue is full, message dropped"),
            Err(mpsc::error::TrySendError::Closed(_)) => {
                warn!("Client {address:02x?}'s message queue is closed, removing client");
                clients_to_remove.push(address);
            }
        }
    }
    if !clients_to_remove.is_empty() {
        let mut connections = state.connections.write().await;
        for address in clients_to_remove {
            debug!("Removing client {address:02x?} from connections");
            connections.remove(&address); //~
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
    let (sender_channel, mut receiver_channel) = mpsc::channel::<String>(state.config.queue_size);
    // Add sender to the list of connections, replacing any existing connection
    {
        let mut connections = state.connections.write().await;
        if !connections.contains_key(&address) && connections.len() >= state.config.max_connections {
            warn!("Server at capacity");
            return;
        }
        let connection = ClientConnection { sender: sender_channel.clone() };
        if let Some(old_connection) = connections.insert(address, connection) { //~
            // This should make the receiver of the old connection return None
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
    connections.remove(&address); //~
    drop(sender_channel);
    debug!("WebSocket connection of {address:02x?} closed");
}

// mofa, issue #964: the select over the send and the receive task of a client drops the JoinHandle of the one that did not end, which only detaches it; after a disconnect the send task keeps the write half (and its broadcast receiver) until something is sent, and after a write error the receive task goes on for a client that is removed.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, mpsc, RwLock};
use tracing::{debug, error, info, warn};

pub struct WebSocketClient {
    pub id: String,
    pub subscriptions: Vec<String>,
    sender: mpsc::Sender<String>,
}

impl WebSocketClient {
    fn new(id: String, sender: mpsc::Sender<String>) -> Self {
        Self { id, subscriptions: vec!["metrics".to_string()], sender }
    }

    pub fn is_subscribed(&self, topic: &str) -> bool {
        self.subscriptions.iter().any(|s| s == topic || s == "*")
    }
}

#[derive(Clone)]
pub struct WebSocketHandler {
    clients: Arc<RwLock<HashMap<String, WebSocketClient>>>,
    broadcast_tx: broadcast::Sender<String>,
    next_id: Arc<AtomicU64>,
}

impl WebSocketHandler {
    pub fn new() -> Self {
        Self { clients: Default::default(), broadcast_tx: broadcast::channel(256).0, next_id: Default::default() }
    }

    pub async fn client_count(&self) -> usize {
        self.clients.read().await.len()
    }

    /// Sends a message to the clients that have subscribed to the topic.
    pub async fn send_to_topic(&self, topic: &str, message: &str) {
        let clients = self.clients.read().await;
        for client in clients.values().filter(|c| c.is_subscribed(topic)) {
            if client.sender.try_send(message.to_string()).is_err() {
                warn!("Client {} is too slow, message dropped", client.id);
            }
        }
    }

    /// Sends a message to all, e.g. that the server will restart.
    pub fn broadcast(&self, message: &str) {
        let _ = self.broadcast_tx.send(message.to_string());
    }

    pub async fn serve(self, listener: TcpListener) -> std::io::Result<()> {
        loop {
            let (socket, addr) = listener.accept().await?;
            debug!("client from {addr}");
            tokio::spawn(self.clone().handle_socket(socket));
        }
    }

    async fn handle_socket(self, socket: TcpStream) {
        let client_id = format!("client-{}", self.next_id.fetch_add(1, Ordering::Relaxed));
        let (tx, mut rx) = mpsc::channel::<String>(100);
        self.clients.write().await.insert(client_id.clone(), WebSocketClient::new(client_id.clone(), tx.clone()));
        info!("WebSocket client connected: {client_id}");
        let (read_half, mut sender) = socket.into_split();

        let mut broadcast_rx = self.broadcast_tx.subscribe();
        let send_task = tokio::spawn(async move { //~
            loop {
                let message = tokio::select! {
                    Some(message) = rx.recv() => message,
                    Ok(message) = broadcast_rx.recv() => message,
                    else => break,
                };
                if sender.write_all(message.as_bytes()).await.is_err() {
                    break;
                }
            }
        });

        let clients = self.clients.clone();
        let client_id_clone = client_id.clone();
        let receive_task = tokio::spawn(async move { //~
            let mut lines = BufReader::new(read_half).lines();
            loop {
                match lines.next_line().await {
                    Ok(Some(line)) => match line.split_once(' ') {
                        Some(("subscribe", topic)) => {
                            if let Some(client) = clients.write().await.get_mut(&client_id_clone) {
                                client.subscriptions.push(topic.to_string());
                            }
                        }
                        Some(("unsubscribe", topic)) => {
                            if let Some(client) = clients.write().await.get_mut(&client_id_clone) {
                                client.subscriptions.retain(|t| t != topic);
                            }
                        }
                        Some(("ping", data)) => drop(tx.send(format!("pong {data}\n")).await),
                        _ => debug!("Heartbeat from client {client_id_clone}"),
                    },
                    Ok(None) => break,
                    Err(e) => break error!("WebSocket error: {e}"),
                }
            }
        });

        // Wait for either task to complete
        tokio::select! {
            _ = send_task => {} //~
            _ = receive_task => {} //~
        }

        self.clients.write().await.remove(&client_id);
        info!("WebSocket client disconnected: {client_id}");
    }
}

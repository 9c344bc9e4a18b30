// alloy-rs/alloy, issues #1601, #2187 / PR #2222: the backend makes the subscription's channel when the node confirms it and drops the first receiver; the frontend asks for a receiver in a second message, and a notification that the node sends before that is thrown away because nobody listens yet.
use serde_json::Value;
use std::collections::HashMap;
use tokio::sync::{broadcast, mpsc, oneshot};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendGone;

pub enum PubSubItem {
    Response { request_id: u64, server_id: String },
    Notification { server_id: String, result: Value },
}

pub struct Request {
    pub id: u64,
    pub method: &'static str,
    pub params: Value,
}

pub struct ConnectionHandle {
    pub to_socket: mpsc::UnboundedSender<Request>,
    pub from_socket: mpsc::UnboundedReceiver<PubSubItem>,
}

enum PubSubInstruction {
    Subscribe { params: Value, tx: oneshot::Sender<u64> },
    GetSub { local_id: u64, tx: oneshot::Sender<RawSubscription> },
    Unsubscribe { local_id: u64 },
}

pub struct RawSubscription {
    rx: broadcast::Receiver<Value>,
    pub local_id: u64,
}

impl RawSubscription {
    pub async fn recv(&mut self) -> Result<Value, broadcast::error::RecvError> {
        self.rx.recv().await
    }
}

struct ActiveSubscription {
    local_id: u64,
    server_id: String,
    tx: broadcast::Sender<Value>,
}

impl ActiveSubscription {
    fn new(local_id: u64, server_id: String, buffer_size: usize) -> Self {
        let (tx, _rx) = broadcast::channel(buffer_size); //~
        Self { local_id, server_id, tx }
    }

    fn subscribe(&mut self) -> RawSubscription {
        RawSubscription { rx: self.tx.subscribe(), local_id: self.local_id } //~
    }

    fn notify(&self, notification: Value) {
        if self.tx.receiver_count() > 0 { //~
            let _ = self.tx.send(notification);
        }
    }
}

struct PubSubService {
    handle: ConnectionHandle,
    reqs: mpsc::UnboundedReceiver<PubSubInstruction>,
    in_flight: HashMap<u64, oneshot::Sender<u64>>,
    subs: HashMap<u64, ActiveSubscription>,
    next_id: u64,
    channel_size: usize,
}

impl PubSubService {
    fn service_ix(&mut self, ix: PubSubInstruction) -> Result<(), BackendGone> {
        let request = match ix {
            PubSubInstruction::Subscribe { params, tx } => {
                self.next_id += 1;
                self.in_flight.insert(self.next_id, tx);
                Request { id: self.next_id, method: "eth_subscribe", params }
            }
            PubSubInstruction::GetSub { local_id, tx } => {
                if let Some(sub) = self.subs.get_mut(&local_id) {
                    let _ = tx.send(sub.subscribe());
                }
                return Ok(());
            }
            PubSubInstruction::Unsubscribe { local_id } => match self.subs.remove(&local_id) {
                Some(sub) => Request { id: 0, method: "eth_unsubscribe", params: Value::from(sub.server_id) },
                None => return Ok(()),
            },
        };
        self.handle.to_socket.send(request).map_err(|_| BackendGone)
    }

    fn handle_item(&mut self, item: PubSubItem) {
        match item {
            PubSubItem::Response { request_id, server_id } => {
                let Some(tx) = self.in_flight.remove(&request_id) else { return };
                self.subs.insert(request_id, ActiveSubscription::new(request_id, server_id, self.channel_size));
                let _ = tx.send(request_id);
            }
            PubSubItem::Notification { server_id, result } => {
                if let Some(sub) = self.subs.values().find(|sub| sub.server_id == server_id) {
                    sub.notify(result);
                }
            }
        }
    }

    async fn run(mut self) -> Result<(), BackendGone> {
        loop {
            tokio::select! {
                item = self.handle.from_socket.recv() => match item {
                    Some(item) => self.handle_item(item),
                    None => return Err(BackendGone),
                },
                ix = self.reqs.recv() => match ix {
                    Some(ix) => self.service_ix(ix)?,
                    None => return Ok(()),
                },
            }
        }
    }
}

#[derive(Clone)]
pub struct PubSubFrontend {
    tx: mpsc::UnboundedSender<PubSubInstruction>,
}

impl PubSubFrontend {
    pub fn connect(handle: ConnectionHandle, channel_size: usize) -> Self {
        let (tx, reqs) = mpsc::unbounded_channel();
        let service =
            PubSubService { handle, reqs, in_flight: HashMap::new(), subs: HashMap::new(), next_id: 0, channel_size };
        tokio::spawn(service.run());
        Self { tx }
    }

    fn send(&self, ix: PubSubInstruction) -> Result<(), BackendGone> {
        self.tx.send(ix).map_err(|_| BackendGone)
    }

    pub async fn subscribe(&self, params: Value) -> Result<RawSubscription, BackendGone> {
        let (tx, rx) = oneshot::channel();
        self.send(PubSubInstruction::Subscribe { params, tx })?;
        let local_id = rx.await.map_err(|_| BackendGone)?;
        let (tx, rx) = oneshot::channel();
        self.send(PubSubInstruction::GetSub { local_id, tx })?;
        rx.await.map_err(|_| BackendGone)
    }

    pub fn unsubscribe(&self, local_id: u64) -> Result<(), BackendGone> {
        self.send(PubSubInstruction::Unsubscribe { local_id })
    }
}

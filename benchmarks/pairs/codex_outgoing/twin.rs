// openai/codex PR #3146
use serde_json::{json, Value};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, Mutex};
use tracing::warn;

pub type RequestId = i64;

#[derive(Debug, Clone, PartialEq)]
pub enum OutgoingMessage {
    Request { id: RequestId, method: String, params: Option<Value> },
    Notification { method: String, params: Option<Value> },
    Response { id: RequestId, result: Value },
}

impl OutgoingMessage {
    pub fn to_json(&self) -> Value {
        match self {
            OutgoingMessage::Request { id, method, params } => {
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            }
            OutgoingMessage::Notification { method, params } => {
                json!({ "jsonrpc": "2.0", "method": method, "params": params })
            }
            OutgoingMessage::Response { id, result } => {
                json!({ "jsonrpc": "2.0", "id": id, "result": result })
            }
        }
    }
}

pub struct OutgoingMessageSender {
    next_request_id: AtomicI64,
    sender: mpsc::UnboundedSender<OutgoingMessage>,
    request_id_to_callback: Mutex<HashMap<RequestId, oneshot::Sender<Value>>>,
}

impl OutgoingMessageSender {
    pub fn new(sender: mpsc::UnboundedSender<OutgoingMessage>) -> Self {
        Self {
            next_request_id: AtomicI64::new(0),
            sender,
            request_id_to_callback: Mutex::new(HashMap::new()),
        }
    }

    pub async fn send_request(
        &self,
        method: &str,
        params: Option<Value>,
    ) -> oneshot::Receiver<Value> {
        let id = self.next_request_id.fetch_add(1, Ordering::Relaxed);
        let (tx_approve, rx_approve) = oneshot::channel();
        let message = OutgoingMessage::Request {
            id,
            method: method.to_string(),
            params,
        };
        {
            let mut callbacks = self.request_id_to_callback.lock().await;
            callbacks.insert(id, tx_approve);
        }
        if self.sender.send(message).is_err() {
            warn!("outgoing channel closed; dropping request {id}");
            self.request_id_to_callback.lock().await.remove(&id);
        }
        rx_approve
    }

    pub async fn notify_client_response(&self, id: RequestId, result: Value) {
        let callback = self.request_id_to_callback.lock().await.remove(&id);
        match callback {
            Some(callback) => {
                if callback.send(result).is_err() {
                    warn!("could not notify callback for {id}: receiver dropped");
                }
            }
            None => warn!("could not find callback for {id}"),
        }
    }

    pub fn send_notification(&self, method: &str, params: Option<Value>) {
        let _ = self.sender.send(OutgoingMessage::Notification {
            method: method.to_string(),
            params,
        });
    }

    pub fn send_response(&self, id: RequestId, result: Value) {
        let _ = self.sender.send(OutgoingMessage::Response { id, result });
    }
}

pub async fn request_exec_approval(
    outgoing: Arc<OutgoingMessageSender>,
    command: Vec<String>,
) -> bool {
    let params = json!({ "command": command });
    let rx = outgoing.send_request("execCommandApproval", Some(params)).await;
    match rx.await {
        Ok(decision) => decision["decision"] == "approved",
        Err(_) => false,
    }
}

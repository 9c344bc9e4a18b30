// ZaparooProject/zaparoo-frontend, review of PR #377: call() copies the session's sender and registers its pending answer afterwards; a teardown in between has already drained the pending answers, the request goes into a queue that nobody reads any more, and the call waits for as long as the next session lives (or for ever).
use async_trait::async_trait;
use serde_json::{json, Value};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tracing::{debug, warn};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientError {
    NotConnected,
    ConnectionLost,
    Remote(String),
}

/// One connection to the core service.
#[async_trait]
pub trait Link: Send + 'static {
    async fn send(&mut self, text: String) -> std::io::Result<()>;
    async fn recv(&mut self) -> std::io::Result<Option<String>>;
}

#[async_trait]
pub trait Connector: Send + Sync + 'static {
    async fn connect(&self) -> std::io::Result<Box<dyn Link>>;
}

type Answer = Result<Value, ClientError>;

#[derive(Default)]
struct Shared {
    /// The queue of the session, if there is one.
    tx: Mutex<Option<mpsc::UnboundedSender<String>>>,
    pending: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    next_id: AtomicU64,
}

impl Shared {
    fn resolve(&self, message: &str) {
        let Ok(message) = serde_json::from_str::<Value>(message) else {
            return warn!("message is no JSON");
        };
        let Some(id) = message.get("id").and_then(Value::as_u64) else {
            return debug!(%message, "notification");
        };
        let Some(waiting) = self.pending.lock().unwrap().remove(&id) else { return };
        let answer = match message.get("error") {
            Some(error) => Err(ClientError::Remote(error.to_string())),
            None => Ok(message.get("result").cloned().unwrap_or(Value::Null)),
        };
        let _ = waiting.send(answer);
    }
}

/// A session; when it is dropped, all who still wait are told.
struct Session {
    shared: Arc<Shared>,
    msg_rx: mpsc::UnboundedReceiver<String>,
}

impl Session {
    fn open(shared: Arc<Shared>) -> Self {
        let (tx, msg_rx) = mpsc::unbounded_channel();
        *shared.tx.lock().unwrap() = Some(tx);
        Self { shared, msg_rx }
    }

    async fn run(mut self, mut link: Box<dyn Link>) -> std::io::Result<()> {
        loop {
            let outgoing = tokio::select! {
                incoming = link.recv() => match incoming? {
                    Some(text) => {
                        self.shared.resolve(&text);
                        continue;
                    }
                    None => return Ok(()),
                },
                outgoing = self.msg_rx.recv() => outgoing,
            };
            let Some(text) = outgoing else { return Ok(()) };
            link.send(text).await?;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        *self.shared.tx.lock().unwrap() = None; //~
        let lost: Vec<_> = self.shared.pending.lock().unwrap().drain().collect(); //~
        for (_, waiting) in lost {
            let _ = waiting.send(Err(ClientError::ConnectionLost));
        }
    }
}

/// Forgets a request when its call ends, also if it is dropped before the answer.
struct PendingRequestGuard<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Drop for PendingRequestGuard<'_> {
    fn drop(&mut self) {
        self.shared.pending.lock().unwrap().remove(&self.id);
    }
}

/// Ends with the last client.
struct Background(JoinHandle<()>);

impl Drop for Background {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    _background: Arc<Background>,
}

impl Client {
    /// Connects, and connects again whenever the connection is lost.
    pub fn start(connector: impl Connector, retry: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        let session = shared.clone();
        let task = tokio::spawn(async move {
            loop {
                match connector.connect().await {
                    Ok(link) => {
                        let ended = Session::open(session.clone()).run(link).await;
                        debug!("session has ended: {ended:?}");
                    }
                    Err(err) => warn!("connecting failed: {err}"),
                }
                tokio::time::sleep(retry).await;
            }
        });
        Self { shared, _background: Arc::new(Background(task)) }
    }

    pub async fn call(&self, method: &str, params: Value) -> Answer {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        let (resp_tx, resp_rx) = oneshot::channel();
        let _pending = PendingRequestGuard { shared: &self.shared, id };
        let sender = self.shared.tx.lock().unwrap().clone().ok_or(ClientError::NotConnected)?; //~
        self.shared.pending.lock().unwrap().insert(id, resp_tx); //~
        sender.send(request).map_err(|_| ClientError::ConnectionLost)?;
        resp_rx.await.unwrap_or(Err(ClientError::ConnectionLost))
    }
}

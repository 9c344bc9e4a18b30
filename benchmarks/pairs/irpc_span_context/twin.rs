// n0-computer/irpc (PR #74 review), repaired: the context lies in task-local storage for the duration of the handler.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanContextCarrier {
    fields: HashMap<String, String>,
}

impl SpanContextCarrier {
    pub fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }

    fn child(&self, name: &str) -> Self {
        let parent = self.fields.get("span").cloned().unwrap_or_default();
        self.clone().with("parent", parent).with("span", name)
    }
}

tokio::task_local! {
    static CURRENT: SpanContextCarrier;
}

pub fn current_context() -> SpanContextCarrier {
    CURRENT.try_with(SpanContextCarrier::clone).unwrap_or_default()
}

pub struct Request<T> {
    pub context: SpanContextCarrier,
    pub body: T,
    pub tx: oneshot::Sender<Response>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Response {
    pub body: Vec<u8>,
    pub context: SpanContextCarrier,
}

#[derive(Debug)]
pub enum RpcError {
    Closed,
    Store(String),
}

#[async_trait]
pub trait Store: Send + Sync + 'static {
    async fn load(&self, key: &str) -> Result<Option<Vec<u8>>, String>;
    async fn log(&self, context: SpanContextCarrier, what: &str);
}

pub struct Server<S> {
    store: Arc<S>,
}

impl<S> Clone for Server<S> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone() }
    }
}

impl<S: Store> Server<S> {
    pub fn new(store: S) -> Self {
        Self { store: Arc::new(store) }
    }

    async fn read(&self, key: &str) -> Result<Vec<u8>, RpcError> {
        let found = self.store.load(key).await.map_err(RpcError::Store)?;
        let context = current_context().child("read");
        self.store.log(context, if found.is_some() { "hit" } else { "miss" }).await;
        Ok(found.unwrap_or_default())
    }

    async fn handle(&self, body: String, tx: oneshot::Sender<Response>) {
        if let Ok(body) = self.read(&body).await {
            let _ = tx.send(Response { body, context: current_context() });
        }
    }

    /// Serves requests until all clients are gone.
    pub async fn run(self, mut requests: mpsc::Receiver<Request<String>>) {
        while let Some(request) = requests.recv().await {
            let server = self.clone();
            let Request { context, body, tx } = request;
            tokio::spawn(CURRENT.scope(context, async move { server.handle(body, tx).await }));
        }
    }
}

#[derive(Clone)]
pub struct Client {
    requests: mpsc::Sender<Request<String>>,
}

impl Client {
    pub fn new(requests: mpsc::Sender<Request<String>>) -> Self {
        Self { requests }
    }

    pub async fn get(&self, key: &str) -> Result<Response, RpcError> {
        let (tx, rx) = oneshot::channel();
        let context = current_context().child("get");
        self.requests.send(Request { context, body: key.to_owned(), tx }).await.map_err(|_| RpcError::Closed)?;
        rx.await.map_err(|_| RpcError::Closed)
    }
}

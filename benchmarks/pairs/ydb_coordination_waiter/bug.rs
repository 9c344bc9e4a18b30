// Modelled on ydb-platform/ydb-rs-sdk PR #589 ("register coordination response waiter before dispatching the request").
// The request goes out to the stream before the waiter for its answer is registered: an answer that comes in
// between finds no entry and is dropped, and the caller waits for ever.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use thiserror::Error;
use tokio::sync::{mpsc, Mutex};

#[derive(Debug, Error)]
pub enum YdbError {
    #[error("{0}")]
    Custom(String),
    #[error("the session has ended")]
    SessionEnded,
}

pub type YdbResult<T> = Result<T, YdbError>;

pub trait IdentifiedMessage {
    fn id(&self) -> u64;
    fn set_id(&mut self, id: u64);
}

#[derive(Debug, Clone)]
pub enum SessionRequest {
    CreateSemaphore { req_id: u64, name: String, limit: u64 },
}

#[derive(Debug, Clone)]
pub struct CreateSemaphore {
    pub req_id: u64,
    pub name: String,
    pub limit: u64,
}

impl IdentifiedMessage for CreateSemaphore {
    fn id(&self) -> u64 {
        self.req_id
    }

    fn set_id(&mut self, id: u64) {
        self.req_id = id;
    }
}

impl From<CreateSemaphore> for SessionRequest {
    fn from(r: CreateSemaphore) -> Self {
        SessionRequest::CreateSemaphore { req_id: r.req_id, name: r.name, limit: r.limit }
    }
}

#[derive(Debug, Clone)]
pub struct CreateSemaphoreResult {
    pub req_id: u64,
    pub ok: bool,
}

impl IdentifiedMessage for CreateSemaphoreResult {
    fn id(&self) -> u64 {
        self.req_id
    }

    fn set_id(&mut self, id: u64) {
        self.req_id = id;
    }
}

pub struct RequestController<Response: IdentifiedMessage> {
    last_req_id: AtomicU64,
    messages_sender: mpsc::UnboundedSender<SessionRequest>,
    active_requests: Arc<Mutex<HashMap<u64, mpsc::UnboundedSender<Response>>>>,
}

impl<Response: IdentifiedMessage> RequestController<Response> {
    pub fn new(messages_sender: mpsc::UnboundedSender<SessionRequest>) -> Self {
        Self {
            last_req_id: AtomicU64::new(0),
            messages_sender,
            active_requests: Arc::new(Mutex::new(HashMap::new())),
        }
    }

    pub async fn send<Request: IdentifiedMessage + Into<SessionRequest>>(
        &self,
        mut req: Request,
    ) -> YdbResult<mpsc::UnboundedReceiver<Response>> {
        let curr_id = self.last_req_id.fetch_add(1, Ordering::AcqRel);
        let (tx, rx) = mpsc::unbounded_channel();

        req.set_id(curr_id);
        self.messages_sender //~
            .send(req.into())
            .map_err(|_| YdbError::Custom("can't send".to_string()))?;

        {
            let mut active_requests = self.active_requests.lock().await;
            active_requests.insert(curr_id, tx); //~
        }

        Ok(rx)
    }

    pub async fn get_response(&self, response: Response) {
        let id = response.id();
        let waiter = self.active_requests.lock().await.remove(&id);
        match waiter {
            Some(sender) => {
                if sender.send(response).is_err() {
                    tracing::trace!(id, "whoever asked has gone");
                }
            }
            None => tracing::trace!(id, "got response for already unknown id"),
        }
    }
}

pub async fn create_semaphore(
    controller: &RequestController<CreateSemaphoreResult>,
    name: &str,
    limit: u64,
) -> YdbResult<bool> {
    let mut rx = controller.send(CreateSemaphore { req_id: 0, name: name.to_string(), limit }).await?;
    let result = rx.recv().await.ok_or(YdbError::SessionEnded)?;
    Ok(result.ok)
}

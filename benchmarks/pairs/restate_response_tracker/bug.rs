// restatedev/restate, #1531: `handle_message` takes the finished entry out, `new_token` reuses the correlation id, and then the `Drop` of the old token removes the new token's entry, so its response is lost.
use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use std::sync::Arc;
use tokio::sync::oneshot;

pub type CorrelationId = u64;

pub trait RpcMessage: Send + 'static {
    fn correlation_id(&self) -> CorrelationId;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShutdownError;

struct Inner<T> {
    in_flight: DashMap<CorrelationId, oneshot::Sender<T>>,
}

/// Tracks the tokens of rpc requests whose response is outstanding.
pub struct ResponseTracker<T: RpcMessage> {
    inner: Arc<Inner<T>>,
}

impl<T: RpcMessage> Clone for ResponseTracker<T> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<T: RpcMessage> Default for ResponseTracker<T> {
    fn default() -> Self {
        Self { inner: Arc::new(Inner { in_flight: DashMap::new() }) }
    }
}

impl<T: RpcMessage> ResponseTracker<T> {
    pub fn num_in_flight(&self) -> usize {
        self.inner.in_flight.len()
    }

    /// Returns `None` if the correlation id is still in flight.
    pub fn new_token(&self, correlation_id: CorrelationId) -> Option<RpcToken<T>> {
        match self.inner.in_flight.entry(correlation_id) {
            Entry::Occupied(_) => None,
            Entry::Vacant(vacant) => {
                let (sender, receiver) = oneshot::channel();
                vacant.insert(sender); //~
                Some(RpcToken { correlation_id, receiver: Some(receiver), tracker: self.clone() })
            }
        }
    }

    /// Hands the message to its token; gives it back if nobody waits for it.
    pub fn handle_message(&self, message: T) -> Option<T> {
        match self.inner.in_flight.remove(&message.correlation_id()) {
            Some((_, sender)) => sender.send(message).err(),
            None => Some(message),
        }
    }
}

pub struct RpcToken<T: RpcMessage> {
    correlation_id: CorrelationId,
    receiver: Option<oneshot::Receiver<T>>,
    tracker: ResponseTracker<T>,
}

impl<T: RpcMessage> RpcToken<T> {
    pub async fn recv(mut self) -> Result<T, ShutdownError> {
        match self.receiver.take() {
            Some(receiver) => receiver.await.map_err(|_| ShutdownError),
            None => Err(ShutdownError),
        }
    }
}

impl<T: RpcMessage> Drop for RpcToken<T> {
    fn drop(&mut self) {
        self.tracker.inner.in_flight.remove(&self.correlation_id); //~
    }
}

// jsonrpsee, PR #285: get_slot checks current_pending and adds in a second step, and reclaim_request_id loads and stores back one less; concurrent requests exceed the limit, and a lost decrement or increment leaves slots taken for ever (or frees one too many).
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tracing::{trace, warn};

#[derive(Debug, PartialEq)]
pub enum Error { MaxSlotsExceeded, RequestTimeout, RestartNeeded }

/// Keeps track of request IDs and of the number of pending requests.
#[derive(Debug)]
pub struct RequestIdGuard {
    // Current pending requests.
    current_pending: AtomicUsize,
    /// Max concurrent pending requests allowed.
    max_concurrent_requests: usize,
    /// Get the next request ID.
    current_id: AtomicU64,
}

impl RequestIdGuard {
    pub fn new(limit: usize) -> Self {
        Self { current_pending: AtomicUsize::new(0), max_concurrent_requests: limit, current_id: AtomicU64::new(0) }
    }

    fn get_slot(&self) -> Result<(), Error> {
        if self.current_pending.load(Ordering::Relaxed) >= self.max_concurrent_requests { //~
            Err(Error::MaxSlotsExceeded)
        } else {
            // NOTE: `fetch_add` wraps on overflow but that can't occur because `current_pending` is checked above.
            self.current_pending.fetch_add(1, Ordering::Relaxed); //~
            Ok(())
        }
    }

    /// Attempts to get the next request ID. Fails if the request limit has been exceeded.
    fn next_request_id(&self) -> Result<u64, Error> {
        self.get_slot()?;
        Ok(self.current_id.fetch_add(1, Ordering::Relaxed))
    }

    fn reclaim_request_id(&self) {
        let curr = self.current_pending.load(Ordering::Relaxed); //~
        if curr > 0 {
            self.current_pending.store(curr - 1, Ordering::Relaxed); //~
        }
    }
}

/// Gives the slot back, however the request ends.
struct Slot<'a>(&'a RequestIdGuard);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.reclaim_request_id();
    }
}

struct RequestMessage { id: u64, raw: String, send_back: oneshot::Sender<String> }

#[derive(Clone)]
pub struct WsClient { to_back: mpsc::Sender<RequestMessage>, id_guard: Arc<RequestIdGuard>, request_timeout: Duration }

impl WsClient {
    pub fn new(limit: usize, sender: mpsc::Sender<String>, receiver: mpsc::Receiver<(u64, String)>) -> Self {
        let (to_back, from_front) = mpsc::channel(limit.max(1));
        tokio::spawn(background_task(sender, receiver, from_front));
        Self { to_back, id_guard: Arc::new(RequestIdGuard::new(limit)), request_timeout: Duration::from_secs(60) }
    }

    pub async fn request(&self, method: &str, params: &str) -> Result<String, Error> {
        let id = self.id_guard.next_request_id()?;
        let _slot = Slot(&self.id_guard);
        trace!("[frontend]: send request: id={id} method={method:?}");
        let (send_back, answer) = oneshot::channel();
        let raw = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        self.to_back.send(RequestMessage { id, raw, send_back }).await.map_err(|_| Error::RestartNeeded)?;
        match tokio::time::timeout(self.request_timeout, answer).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(_)) => Err(Error::RestartNeeded),
            Err(_) => Err(Error::RequestTimeout),
        }
    }
}

async fn background_task(sender: mpsc::Sender<String>, mut receiver: mpsc::Receiver<(u64, String)>, mut frontend: mpsc::Receiver<RequestMessage>) {
    let mut pending: HashMap<u64, oneshot::Sender<String>> = HashMap::new();
    loop {
        tokio::select! {
            request = frontend.recv() => {
                let Some(request) = request else { break };
                pending.retain(|_, waiting| !waiting.is_closed());
                pending.insert(request.id, request.send_back);
                if sender.send(request.raw).await.is_err() { break }
            }
            response = receiver.recv() => {
                let Some((id, value)) = response else { break };
                match pending.remove(&id) {
                    Some(send_back) => { let _ = send_back.send(value); }
                    None => warn!("[backend]: no pending request with id {id}"),
                }
            }
        }
    }
}

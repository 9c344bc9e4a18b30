// ironclaw, issue #869: process_message keeps the read guard of the sender's RwLock while it waits for room in the bounded channel; when the agent has stopped receiving and shuts the channel down, shutdown() waits for the write lock, the guard for room, and nobody makes any.
use axum::http::StatusCode;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch, Mutex, RwLock};
use tracing::{debug, error, info, warn};
use uuid::Uuid;

const MAX_MESSAGES_PER_MINUTE: u32 = 60;

#[derive(Clone, Debug)]
pub struct IncomingMessage { pub id: Uuid, pub channel: &'static str, pub user_id: String, pub content: String }

pub struct WebhookRequest { pub user_id: String, pub content: String, pub secret: Option<String>, pub wait_for_response: bool }

struct RateLimitState { window_start: Instant, request_count: u32 }

pub struct HttpChannelState {
    /// Sender for incoming messages, while the channel is started.
    tx: RwLock<Option<mpsc::Sender<IncomingMessage>>>,
    /// Pending responses keyed by message ID.
    pending_responses: RwLock<HashMap<Uuid, oneshot::Sender<String>>>,
    webhook_secret: Option<String>,
    rate_limit: Mutex<RateLimitState>,
}

pub struct HttpChannel { state: Arc<HttpChannelState> }

impl HttpChannel {
    pub fn new(webhook_secret: Option<String>) -> Self {
        let rate_limit = Mutex::new(RateLimitState { window_start: Instant::now(), request_count: 0 });
        let state = HttpChannelState { tx: RwLock::new(None), pending_responses: Default::default(), webhook_secret, rate_limit };
        Self { state: Arc::new(state) }
    }

    pub fn state(&self) -> Arc<HttpChannelState> {
        self.state.clone()
    }

    pub async fn start(&self) -> mpsc::Receiver<IncomingMessage> {
        let (tx, rx) = mpsc::channel(256);
        *self.state.tx.write().await = Some(tx);
        info!("HTTP channel ready");
        rx
    }

    pub async fn respond(&self, id: Uuid, response: String) {
        match self.state.pending_responses.write().await.remove(&id) {
            Some(waiting) => drop(waiting.send(response)),
            None => debug!("nobody waits for the response to {id}"),
        }
    }

    pub async fn shutdown(&self) {
        *self.state.tx.write().await = None; //~
        self.state.pending_responses.write().await.clear();
        info!("HTTP channel stopped");
    }
}

/// The webhook handler.
pub async fn process_message(state: Arc<HttpChannelState>, req: WebhookRequest) -> (StatusCode, String) {
    if state.webhook_secret.is_some() && state.webhook_secret != req.secret {
        return (StatusCode::UNAUTHORIZED, "Invalid webhook secret".into());
    }
    {
        let mut limit = state.rate_limit.lock().await;
        if limit.window_start.elapsed() >= Duration::from_secs(60) {
            *limit = RateLimitState { window_start: Instant::now(), request_count: 0 };
        }
        limit.request_count += 1;
        if limit.request_count > MAX_MESSAGES_PER_MINUTE {
            return (StatusCode::TOO_MANY_REQUESTS, "Rate limit exceeded".into());
        }
    }
    let msg = IncomingMessage { id: Uuid::new_v4(), channel: "http", user_id: req.user_id, content: req.content };
    let (id, (response_tx, response_rx)) = (msg.id, oneshot::channel());
    if req.wait_for_response {
        state.pending_responses.write().await.insert(id, response_tx);
    }

    let tx_guard = state.tx.read().await; //~
    let sent = match tx_guard.as_ref() {
        Some(tx) => tx.send(msg).await.is_ok(), //~
        None => false,
    };
    drop(tx_guard);
    if !sent {
        state.pending_responses.write().await.remove(&id);
        return (StatusCode::SERVICE_UNAVAILABLE, "Channel not started".into());
    }
    if !req.wait_for_response {
        return (StatusCode::OK, id.to_string());
    }
    match tokio::time::timeout(Duration::from_secs(60), response_rx).await {
        Ok(Ok(content)) => (StatusCode::OK, content),
        _ => {
            warn!("no response to message {id}");
            state.pending_responses.write().await.remove(&id);
            (StatusCode::GATEWAY_TIMEOUT, "Response timeout".into())
        }
    }
}

/// The agent loop: answers messages until it is told to stop.
pub async fn run_agent(channel: HttpChannel, mut stop: watch::Receiver<bool>, answer: impl Fn(&IncomingMessage) -> Option<String>) {
    let mut messages = channel.start().await;
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            msg = messages.recv() => {
                let Some(msg) = msg else { break };
                match answer(&msg) {
                    Some(response) => channel.respond(msg.id, response).await,
                    None => error!("no answer to message {} of {}", msg.id, msg.user_id),
                }
            }
        }
    }
    channel.shutdown().await;
}

// tidewave_app, PR #41 (review): a timer started by a disconnect cancels the session after 10 s if it has no websocket then; if the page was reloaded in between and is being reloaded once more just then, the timer of the first disconnect sees the gap of the second and cancels a session in use.
use dashmap::DashMap;
use serde_json::{json, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedSender};
use tracing::{debug, warn};
use uuid::Uuid;

pub type SessionId = String;
pub type WebSocketId = Uuid;
const RECONNECT_GRACE: Duration = Duration::from_secs(10);

pub struct SessionState {
    /// The websocket which shows the session, if any does.
    websocket: Option<WebSocketId>,
    /// stdin of the ACP process that runs the session.
    process: UnboundedSender<String>,
    cancelled: bool,
}

#[derive(Clone, Default)]
pub struct AcpProxyState {
    websocket_senders: Arc<DashMap<WebSocketId, UnboundedSender<String>>>,
    sessions: Arc<DashMap<SessionId, SessionState>>,
}

impl AcpProxyState {
    pub fn connect(&self) -> (WebSocketId, mpsc::UnboundedReceiver<String>) {
        let (tx, rx) = mpsc::unbounded_channel();
        let websocket_id = Uuid::new_v4();
        self.websocket_senders.insert(websocket_id, tx);
        (websocket_id, rx)
    }

    pub fn new_session(&self, session_id: SessionId, websocket_id: WebSocketId, process: UnboundedSender<String>) {
        let session = SessionState { websocket: Some(websocket_id), process, cancelled: false };
        self.sessions.insert(session_id, session);
    }

    /// The page was loaded again and wants to go on with its session.
    pub fn load_session(&self, session_id: &str, websocket_id: WebSocketId) -> bool {
        match self.sessions.get_mut(session_id) {
            Some(mut session) if !session.cancelled => {
                session.websocket = Some(websocket_id); //~
                true
            }
            _ => false,
        }
    }

    /// Passes a message of the process on to whoever shows the session.
    pub fn forward_to_websocket(&self, session_id: &str, message: &Value) {
        let Some(websocket_id) = self.sessions.get(session_id).and_then(|s| s.websocket) else {
            debug!("No websocket shows session {session_id}");
            return;
        };
        if let Some(tx) = self.websocket_senders.get(&websocket_id) {
            let _ = tx.send(message.to_string());
        }
    }

    /// Called when the receive or send task of a websocket has ended.
    pub fn handle_disconnect(&self, websocket_id: WebSocketId) {
        self.websocket_senders.remove(&websocket_id);
        let mut sessions_for_websocket = Vec::new();
        for mut session in self.sessions.iter_mut() {
            if session.websocket == Some(websocket_id) {
                session.websocket = None; //~
                sessions_for_websocket.push(session.key().clone());
            }
        }
        debug!("WebSocket connection closed: {websocket_id}");

        // Spawn a task to send session/cancel unless the page comes back
        let state = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(RECONNECT_GRACE).await;
            for session_id in sessions_for_websocket {
                state.cancel_unless_reconnected(&session_id);
            }
        });
    }

    fn cancel_unless_reconnected(&self, session_id: &str) {
        let Some(mut session) = self.sessions.get_mut(session_id) else { return };
        if session.websocket.is_some() || session.cancelled { //~
            debug!("Session {session_id} was taken up again, not cancelling");
            return;
        }
        session.cancelled = true; //~
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session_id}});
        if session.process.send(cancel.to_string()).is_err() {
            warn!("Process of session {session_id} has ended already");
        }
    }
}

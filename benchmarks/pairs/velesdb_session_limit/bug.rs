// cyberlife-coder/VelesDB PR 2319 (review round): `activity_guard` looks the session up and counts the request after the lock: an eviction in between takes an active session out.
//! Caps the concurrent MCP sessions of the HTTP daemon: at the cap, the session that has been idle
//! for longest makes room for the new one.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, Result};
use parking_lot::Mutex;
use serde_json::{json, Value};

pub type SessionId = Arc<str>;

pub struct Session {
    in_flight: AtomicUsize,
    awaiting_initialize: AtomicBool,
    last_active: Mutex<Instant>,
    notes: Mutex<Vec<String>>,
}

impl Session {
    fn new() -> Self {
        Self {
            in_flight: AtomicUsize::new(0),
            awaiting_initialize: AtomicBool::new(true),
            last_active: Mutex::new(Instant::now()),
            notes: Mutex::new(Vec::new()),
        }
    }

    fn is_busy(&self) -> bool {
        self.awaiting_initialize.load(Ordering::SeqCst) || self.in_flight.load(Ordering::SeqCst) > 0 //~
    }
}

/// Held while a request is being served or a stream is open.
pub struct ActivityGuard {
    session: Arc<Session>,
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        *self.session.last_active.lock() = Instant::now();
        self.session.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

pub struct BoundedSessionManager {
    live: Mutex<HashMap<SessionId, Arc<Session>>>,
    max_sessions: usize,
    evict_min_idle: Duration,
}

impl BoundedSessionManager {
    pub fn new(max_sessions: usize, evict_min_idle: Duration) -> Self {
        Self { live: Mutex::new(HashMap::new()), max_sessions, evict_min_idle }
    }

    fn evict_idle(&self, live: &mut HashMap<SessionId, Arc<Session>>) -> bool {
        let victim = live
            .iter()
            .filter(|(_, session)| !session.is_busy()) //~
            .map(|(id, session)| (*session.last_active.lock(), id.clone()))
            .filter(|(last_active, _)| last_active.elapsed() >= self.evict_min_idle)
            .min_by_key(|(last_active, _)| *last_active);
        match victim {
            Some((_, id)) => {
                tracing::info!(%id, "evicting idle session");
                live.remove(&id).is_some() //~
            }
            None => false,
        }
    }

    pub fn create_session(&self) -> Result<SessionId> {
        let mut live = self.live.lock();
        if live.len() >= self.max_sessions && !self.evict_idle(&mut live) {
            bail!("too many concurrent MCP sessions (max {})", self.max_sessions);
        }
        let id: SessionId = uuid::Uuid::new_v4().to_string().into();
        live.insert(id.clone(), Arc::new(Session::new()));
        Ok(id)
    }

    fn activity_guard(&self, id: &str) -> Result<ActivityGuard> {
        let session = self.live.lock().get(id).cloned(); //~
        let session = session.ok_or_else(|| anyhow!("unknown session {id}"))?;
        session.in_flight.fetch_add(1, Ordering::SeqCst); //~
        Ok(ActivityGuard { session })
    }

    /// The first request of a session: from here on it can be evicted when it is idle.
    pub async fn initialize_session(&self, id: &str) -> Result<Value> {
        let guard = self.activity_guard(id)?;
        guard.session.awaiting_initialize.store(false, Ordering::SeqCst);
        Ok(json!({ "protocolVersion": "2025-06-18", "sessionId": id }))
    }

    /// Serves one tool call; what the call says about the session is kept in it.
    pub async fn call_tool<F, Fut>(&self, id: &str, note: String, run: F) -> Result<Value>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Value>>,
    {
        let guard = self.activity_guard(id)?;
        let result = run().await?;
        guard.session.notes.lock().push(note);
        Ok(result)
    }

    pub fn close_session(&self, id: &str) -> bool {
        self.live.lock().remove(id).is_some()
    }
}

// ferro-labs/ferrotunnel, issue #118 (fixed in 1.3.0): the tunnel id is claimed through DashMap's entry, so look and insert are one access to the shard; the session is put in while the entry is held, and `remove` and the lookup take the two maps in the same order.
use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::mpsc;
use uuid::Uuid;

#[derive(Debug, PartialEq, Eq)]
pub enum TunnelError {
    TunnelIdInUse(String),
    SessionClosed,
}

impl fmt::Display for TunnelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TunnelError::TunnelIdInUse(id) => write!(f, "tunnel id {id} is in use"),
            TunnelError::SessionClosed => f.write_str("session is closed"),
        }
    }
}

impl std::error::Error for TunnelError {}

pub enum Frame {
    OpenStream { stream_id: u32 },
    Heartbeat,
    Close,
}

pub struct Session {
    pub id: Uuid,
    pub tunnel_id: Option<String>,
    pub remote_addr: SocketAddr,
    frames: mpsc::Sender<Frame>,
    streams: AtomicU64,
}

impl Session {
    pub fn new(tunnel_id: Option<String>, remote_addr: SocketAddr, frames: mpsc::Sender<Frame>) -> Arc<Self> {
        Arc::new(Self { id: Uuid::new_v4(), tunnel_id, remote_addr, frames, streams: AtomicU64::new(0) })
    }

    pub async fn open_stream(&self) -> Result<u32, TunnelError> {
        let stream_id = self.streams.fetch_add(1, Ordering::Relaxed) as u32;
        let frame = Frame::OpenStream { stream_id };
        self.frames.send(frame).await.map_err(|_| TunnelError::SessionClosed)?;
        Ok(stream_id)
    }
}

/// The connected clients, by session and by the name of the tunnel that they serve.
#[derive(Default)]
pub struct SessionStore {
    sessions: DashMap<Uuid, Arc<Session>>,
    tunnel_index: DashMap<String, Uuid>,
}

impl SessionStore {
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a session after its handshake; a tunnel id has one owner.
    pub fn add(&self, session: Arc<Session>) -> Result<(), TunnelError> {
        let Some(tunnel_id) = session.tunnel_id.clone() else {
            self.sessions.insert(session.id, session);
            return Ok(());
        };
        match self.tunnel_index.entry(tunnel_id) {
            Entry::Occupied(owner) => Err(TunnelError::TunnelIdInUse(owner.key().clone())),
            Entry::Vacant(free) => {
                self.sessions.insert(session.id, session.clone());
                free.insert(session.id);
                Ok(())
            }
        }
    }

    pub fn get_by_tunnel_id(&self, tunnel_id: &str) -> Option<Arc<Session>> {
        let owner = self.tunnel_index.get(tunnel_id)?;
        self.sessions.get(owner.value()).map(|session| session.value().clone())
    }

    pub fn remove(&self, id: &Uuid) -> Option<Arc<Session>> {
        let tunnel_id = self.sessions.get(id)?.tunnel_id.clone();
        match tunnel_id.map(|name| self.tunnel_index.entry(name)) {
            Some(Entry::Occupied(owner)) if owner.get() == id => {
                let removed = self.sessions.remove(id);
                owner.remove();
                removed.map(|(_, session)| session)
            }
            _ => self.sessions.remove(id).map(|(_, session)| session),
        }
    }

    pub fn is_connected(&self, id: &Uuid) -> bool {
        self.sessions.contains_key(id)
    }
}

/// Handles what a proxied request needs: a stream of the client that serves the tunnel.
pub async fn route(store: &SessionStore, tunnel_id: &str) -> Option<Result<u32, TunnelError>> {
    let session = store.get_by_tunnel_id(tunnel_id)?;
    Some(session.open_stream().await)
}

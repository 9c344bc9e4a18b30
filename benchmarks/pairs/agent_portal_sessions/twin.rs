// meawoppl/agent-portal PR #538
use dashmap::DashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::mpsc;
use tracing::{debug, info};
use uuid::Uuid;

#[derive(Debug, Clone)]
pub enum ServerFrame {
    Input(String),
    Interrupt,
}

#[derive(Debug)]
pub enum ProxyFrame {
    Output(String),
    Heartbeat,
    Bye,
}

pub type FrameSender = mpsc::UnboundedSender<ServerFrame>;

struct Connection {
    gen: u64,
    hostname: String,
    tx: FrameSender,
}

#[derive(Default)]
pub struct SessionManager {
    connections: DashMap<Uuid, Connection>,
    next_gen: AtomicU64,
}

impl SessionManager {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub fn register(&self, session: Uuid, hostname: &str, tx: FrameSender) -> u64 {
        let gen = self.next_gen.fetch_add(1, Ordering::Relaxed) + 1;
        let conn = Connection {
            gen,
            hostname: hostname.to_string(),
            tx,
        };
        if self.connections.insert(session, conn).is_some() {
            info!(%session, gen, "replacing existing connection");
        }
        gen
    }

    pub fn unregister(&self, session: Uuid, gen: u64) -> bool {
        self.connections
            .remove_if(&session, |_, conn| conn.gen == gen)
            .is_some()
    }

    pub fn is_connected(&self, session: Uuid) -> bool {
        self.connections.contains_key(&session)
    }

    pub fn hostname(&self, session: Uuid) -> Option<String> {
        self.connections.get(&session).map(|c| c.hostname.clone())
    }

    pub fn send_to_session(&self, session: Uuid, frame: ServerFrame) -> bool {
        match self.connections.get(&session) {
            Some(conn) => conn.tx.send(frame).is_ok(),
            None => false,
        }
    }
}

pub struct ProxySocket {
    pub incoming: mpsc::Receiver<ProxyFrame>,
    pub outgoing: mpsc::Sender<ServerFrame>,
}

pub async fn handle_proxy(
    manager: Arc<SessionManager>,
    session: Uuid,
    hostname: String,
    mut socket: ProxySocket,
) {
    let (tx, mut rx) = mpsc::unbounded_channel();
    let gen = manager.register(session, &hostname, tx);
    debug!(%session, gen, "proxy connected");

    loop {
        tokio::select! {
            frame = rx.recv() => match frame {
                Some(frame) => {
                    if socket.outgoing.send(frame).await.is_err() {
                        break;
                    }
                }
                None => break,
            },
            incoming = socket.incoming.recv() => match incoming {
                Some(ProxyFrame::Output(line)) => info!(%session, "{line}"),
                Some(ProxyFrame::Heartbeat) => {}
                Some(ProxyFrame::Bye) | None => break,
            },
        }
    }

    if manager.unregister(session, gen) {
        info!(%session, gen, "session disconnected");
    }
}

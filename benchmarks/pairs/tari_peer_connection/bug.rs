// tari, PR #370: two tasks that ask for a connection to the same peer at the same time both find none and both establish one; the peer sees two connections and the first one is dropped from the map while its user still sends on it.
use anyhow::{anyhow, Context, Result};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tracing::{debug, info, warn};

pub type NodeId = [u8; 13];

#[derive(Clone, Debug)]
pub struct Peer { pub node_id: NodeId, pub addresses: Vec<SocketAddr>, pub banned: bool }

pub struct PeerConnection {
    pub id: u64,
    pub node_id: NodeId,
    stream: tokio::sync::Mutex<TcpStream>,
}

impl PeerConnection {
    pub async fn send(&self, frame: &[u8]) -> Result<()> {
        self.stream.lock().await.write_all(frame).await.context("peer connection is closed")
    }
}

#[derive(Default)]
pub struct PeerManager { peers: Mutex<HashMap<NodeId, Peer>> }

impl PeerManager {
    pub fn add_peer(&self, peer: Peer) {
        self.peers.lock().unwrap().insert(peer.node_id, peer);
    }

    pub fn find_with_node_id(&self, node_id: &NodeId) -> Option<Peer> {
        self.peers.lock().unwrap().get(node_id).cloned()
    }
}

pub struct ConnectionManager {
    node_identity: NodeId,
    peer_manager: Arc<PeerManager>,
    connections: RwLock<HashMap<NodeId, Arc<PeerConnection>>>,
    next_id: AtomicU64,
}

impl ConnectionManager {
    pub fn new(node_identity: NodeId, peer_manager: Arc<PeerManager>) -> Self {
        Self { node_identity, peer_manager, connections: Default::default(), next_id: AtomicU64::new(1) }
    }

    pub fn get_active_connection(&self, node_id: &NodeId) -> Option<Arc<PeerConnection>> {
        self.connections.read().unwrap().get(node_id).cloned() //~
    }

    /// Returns the connection to the node, establishing it if there is none.
    pub async fn establish_connection_to_node_id(&self, node_id: &NodeId) -> Result<Arc<PeerConnection>> {
        let peer = self.peer_manager.find_with_node_id(node_id).ok_or_else(|| anyhow!("unknown peer"))?;
        if peer.banned {
            return Err(anyhow!("peer is banned"));
        }
        if let Some(conn) = self.get_active_connection(node_id) {
            debug!(id = conn.id, "already connected");
            return Ok(conn);
        }
        self.attempt_control_connection(&peer).await
    }

    async fn attempt_control_connection(&self, peer: &Peer) -> Result<Arc<PeerConnection>> {
        for address in &peer.addresses {
            match self.dial(*address, peer.node_id).await {
                Ok(conn) => {
                    let conn = Arc::new(conn);
                    self.connections.write().unwrap().insert(peer.node_id, conn.clone()); //~
                    info!(id = conn.id, %address, "connection established");
                    return Ok(conn);
                }
                Err(err) => warn!(%address, "dial failed: {err:#}"),
            }
        }
        Err(anyhow!("no address of the peer could be reached"))
    }

    async fn dial(&self, address: SocketAddr, node_id: NodeId) -> Result<PeerConnection> {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(&self.node_identity).await?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        Ok(PeerConnection { id, node_id, stream: tokio::sync::Mutex::new(stream) })
    }

    pub fn disconnect_peer(&self, node_id: &NodeId) -> Option<Arc<PeerConnection>> {
        self.connections.write().unwrap().remove(node_id)
    }
}

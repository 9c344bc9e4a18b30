// Neptune-Crypto/neptune-core, PR #509: `run_wrapper` checks the peer map before the handshake and inserts after it, so two tasks (an outgoing and an incoming connection) admit the same instance twice and exceed the maximum.
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::RwLock;

#[derive(Debug)]
pub enum PeerLoopError {
    MaxPeersExceeded,
    AlreadyConnected,
    ConnectedToSelf,
    Io(std::io::Error),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandshakeData {
    pub instance_id: u128,
    pub is_archival_node: bool,
}

pub struct NetworkingState {
    instance_id: u128,
    max_num_peers: usize,
    peer_map: HashMap<SocketAddr, HandshakeData>,
}

impl NetworkingState {
    fn check_admissible(&self, address: SocketAddr, peer: &HandshakeData) -> Result<(), PeerLoopError> {
        if peer.instance_id == self.instance_id {
            return Err(PeerLoopError::ConnectedToSelf);
        }
        if self.peer_map.len() >= self.max_num_peers {
            return Err(PeerLoopError::MaxPeersExceeded);
        }
        let known = self.peer_map.values().any(|known| known.instance_id == peer.instance_id);
        if known || self.peer_map.contains_key(&address) {
            return Err(PeerLoopError::AlreadyConnected);
        }
        Ok(())
    }
}

#[derive(Clone)]
pub struct GlobalStateLock {
    net: Arc<RwLock<NetworkingState>>,
}

impl GlobalStateLock {
    pub fn new(instance_id: u128, max_num_peers: usize) -> Self {
        let state = NetworkingState { instance_id, max_num_peers, peer_map: HashMap::new() };
        Self { net: Arc::new(RwLock::new(state)) }
    }
}

pub struct PeerLoopHandler {
    state: GlobalStateLock,
    peer_address: SocketAddr,
    handshake: HandshakeData,
}

impl PeerLoopHandler {
    pub fn new(state: GlobalStateLock, peer_address: SocketAddr, handshake: HandshakeData) -> Self {
        Self { state, peer_address, handshake }
    }

    /// Runs the loop of one peer, from its admission to its disconnection.
    pub async fn run_wrapper(self, mut stream: TcpStream) -> Result<(), PeerLoopError> {
        self.state.net.read().await.check_admissible(self.peer_address, &self.handshake)?; //~
        stream.write_u8(1).await.map_err(PeerLoopError::Io)?;
        self.state.net.write().await.peer_map.insert(self.peer_address, self.handshake); //~
        let result = self.run(&mut stream).await;
        self.state.net.write().await.peer_map.remove(&self.peer_address);
        result.map_err(PeerLoopError::Io)
    }

    async fn run(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let mut message = vec![0u8; 4096];
        loop {
            let read = stream.read(&mut message).await?;
            if read == 0 {
                return Ok(());
            }
            tracing::debug!("{read} bytes from {}", self.peer_address);
        }
    }
}

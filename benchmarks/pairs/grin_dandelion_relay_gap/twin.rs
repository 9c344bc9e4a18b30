// mimblewimble/grin PR #2548: repaired as there.
use parking_lot::RwLock;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    NoDandelionRelay,
    Send(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Inbound,
    Outbound,
}

pub trait Connection: Send + Sync {
    fn send_stem_transaction(&self, tx: &[u8]) -> Result<(), Error>;
}

pub struct Peer {
    addr: SocketAddr,
    direction: Direction,
    connection: Box<dyn Connection>,
}

impl Peer {
    pub fn new(addr: SocketAddr, direction: Direction, connection: Box<dyn Connection>) -> Peer {
        Peer { addr, direction, connection }
    }

    fn send_stem_transaction(&self, tx: &[u8]) -> Result<(), Error> {
        self.connection.send_stem_transaction(tx)
    }
}

fn timestamp() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    elapsed.map(|d| d.as_secs()).unwrap_or_default()
}

#[derive(Default)]
pub struct Peers {
    peers: RwLock<HashMap<SocketAddr, Arc<Peer>>>,
    dandelion_relay: RwLock<Option<(u64, Arc<Peer>)>>,
}

impl Peers {
    pub fn add_connected(&self, peer: Arc<Peer>) {
        self.peers.write().insert(peer.addr, peer);
    }

    fn outgoing_peers(&self) -> Vec<Arc<Peer>> {
        self.peers
            .read()
            .values()
            .filter(|p| p.direction == Direction::Outbound)
            .cloned()
            .collect()
    }

    pub fn update_dandelion_relay(&self) {
        let peers = self.outgoing_peers();
        let pick = timestamp() as usize % peers.len().max(1);
        if let Some(peer) = peers.get(pick) {
            self.set_dandelion_relay(peer);
        }
    }

    fn set_dandelion_relay(&self, peer: &Arc<Peer>) {
        let dandelion_relay = &self.dandelion_relay;
        dandelion_relay.write().replace((timestamp(), peer.clone()));
    }

    pub fn get_dandelion_relay(&self) -> Option<(u64, Arc<Peer>)> {
        self.dandelion_relay.read().clone()
    }

    pub fn relay_stem_transaction(&self, tx: &[u8]) -> Result<(), Error> {
        match self.get_dandelion_relay() {
            Some((_, relay)) => relay.send_stem_transaction(tx),
            None => Err(Error::NoDandelionRelay),
        }
    }
}

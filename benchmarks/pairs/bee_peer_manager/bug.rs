// Modelled on iotaledger-archive/bee PR #1054 ("Fix peer manager deadlock", issue #985).
// `connected_synced_peers` holds the read guard of the peer map while it calls a method that takes it again:
// parking_lot lets no new reader past a waiting writer, so a disconnect between the two blocks all of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use parking_lot::RwLock;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

pub type PeerId = [u8; 32];
type PeerSender = mpsc::UnboundedSender<Vec<u8>>;

#[derive(Debug, Error)]
pub enum PeerError {
    #[error("peer {0} is not known")]
    Unknown(String),
    #[error("peer {0} is not connected")]
    NotConnected(String),
}

#[derive(Debug, Default)]
pub struct Metrics {
    pub sent: AtomicU32,
    pub dropped: AtomicU32,
}

pub struct Peer {
    id: PeerId,
    alias: String,
    solid_index: AtomicU32,
    pub metrics: Metrics,
}

impl Peer {
    pub fn new(id: PeerId, alias: impl Into<String>) -> Self {
        Self { id, alias: alias.into(), solid_index: AtomicU32::new(0), metrics: Metrics::default() }
    }

    pub fn set_solid_index(&self, index: u32) {
        self.solid_index.fetch_max(index, Ordering::Relaxed);
    }

    pub fn is_synced_at(&self, index: u32) -> bool {
        self.solid_index.load(Ordering::Relaxed) >= index
    }
}

struct Link {
    sender: PeerSender,
    shutdown: oneshot::Sender<()>,
}

#[derive(Default)]
struct PeerMap {
    peers: HashMap<PeerId, (Arc<Peer>, Option<Link>)>,
    order: Vec<PeerId>,
}

#[derive(Default)]
pub struct PeerManager {
    inner: RwLock<PeerMap>,
}

impl PeerManager {
    pub fn add(&self, peer: Arc<Peer>) {
        let mut inner = self.inner.write();
        let id = peer.id;
        if inner.peers.insert(id, (peer, None)).is_none() {
            inner.order.push(id);
        }
    }

    pub fn connected(&self, id: &PeerId, sender: PeerSender, shutdown: oneshot::Sender<()>) {
        if let Some((_, link)) = self.inner.write().peers.get_mut(id) {
            *link = Some(Link { sender, shutdown });
        }
    }

    pub fn disconnected(&self, id: &PeerId) {
        let link = self.inner.write().peers.get_mut(id).and_then(|(_, link)| link.take());
        if let Some(link) = link {
            let _ = link.shutdown.send(());
        }
    }

    pub fn is_connected(&self, id: &PeerId) -> bool {
        let inner = self.inner.read(); //~
        inner.peers.get(id).is_some_and(|(_, link)| link.is_some())
    }

    pub fn connected_synced_peers(&self, index: u32) -> Vec<Arc<Peer>> {
        let inner = self.inner.read(); //~
        inner
            .order
            .iter()
            .filter(|id| self.is_connected(id)) //~
            .filter_map(|id| inner.peers.get(id))
            .filter(|(peer, _)| peer.is_synced_at(index))
            .map(|(peer, _)| peer.clone())
            .collect()
    }

    pub fn send(&self, id: &PeerId, packet: Vec<u8>) -> Result<(), PeerError> {
        let inner = self.inner.read();
        let (peer, link) = inner
            .peers
            .get(id)
            .ok_or_else(|| PeerError::Unknown(format!("{:02x?}", &id[..4])))?;
        let link = link.as_ref().ok_or_else(|| PeerError::NotConnected(peer.alias.clone()))?;
        match link.sender.send(packet) {
            Ok(()) => peer.metrics.sent.fetch_add(1, Ordering::Relaxed),
            Err(_) => peer.metrics.dropped.fetch_add(1, Ordering::Relaxed),
        };
        Ok(())
    }
}

// As in PR #1502 the read lock is held until its data was used completely: length and element come from the same guard, so the index is always within the list.
use async_trait::async_trait;
use parking_lot::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use tokio::sync::{mpsc, Semaphore};

pub type PeerId = u64;

#[derive(Debug)]
pub enum NetworkEvent {
    PeerJoined(PeerId),
    PeerLeft(PeerId),
}

#[async_trait]
pub trait Network: Send + Sync + 'static {
    async fn request_batch_set(&self, peer: PeerId, epoch: u32) -> Option<Vec<u8>>;
}

/// Requests the given epochs from the known peers, in turn.
pub struct SyncQueue<N: Network> {
    network: Arc<N>,
    peers: RwLock<Vec<PeerId>>,
    current_peer: AtomicUsize,
    slots: Arc<Semaphore>,
}

impl<N: Network> SyncQueue<N> {
    const MAX_TRIES: usize = 5;

    pub fn new(network: Arc<N>, desired_pending_size: usize) -> Arc<Self> {
        Arc::new(Self {
            network,
            peers: RwLock::default(),
            current_peer: AtomicUsize::new(0),
            slots: Arc::new(Semaphore::new(desired_pending_size)),
        })
    }

    pub fn add_peer(&self, peer: PeerId) {
        let mut peers = self.peers.write();
        if !peers.contains(&peer) {
            peers.push(peer);
        }
    }

    pub fn remove_peer(&self, peer: PeerId) {
        self.peers.write().retain(|known| *known != peer);
    }

    fn get_next_peer(&self) -> Option<PeerId> {
        let next = self.current_peer.fetch_add(1, Ordering::Relaxed);
        let peers = self.peers.read();
        if peers.is_empty() {
            return None;
        }
        Some(peers[next % peers.len()])
    }

    async fn request(&self, epoch: u32) -> Option<Vec<u8>> {
        for _ in 0..Self::MAX_TRIES {
            let peer = self.get_next_peer()?;
            if let Some(batch_set) = self.network.request_batch_set(peer, epoch).await {
                return Some(batch_set);
            }
            tracing::debug!("peer {peer} did not answer for epoch {epoch}");
        }
        None
    }

    pub async fn run(self: Arc<Self>, mut epochs: mpsc::Receiver<u32>, results: mpsc::Sender<(u32, Option<Vec<u8>>)>) {
        while let Some(epoch) = epochs.recv().await {
            let Ok(slot) = self.slots.clone().acquire_owned().await else { return };
            let (queue, results) = (self.clone(), results.clone());
            tokio::spawn(async move {
                let batch_set = queue.request(epoch).await;
                drop(slot);
                let _ = results.send((epoch, batch_set)).await;
            });
        }
    }

    pub async fn follow_peers(self: Arc<Self>, mut events: mpsc::Receiver<NetworkEvent>) {
        while let Some(event) = events.recv().await {
            match event {
                NetworkEvent::PeerJoined(peer) => self.add_peer(peer),
                NetworkEvent::PeerLeft(peer) => self.remove_peer(peer),
            }
        }
    }
}

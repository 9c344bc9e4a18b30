// Repaired as in PR #1502: one read guard is held from the length to the element; the turn is only a round-robin number, any value of it is good.
use parking_lot::{Mutex, RwLock};
use std::collections::{HashSet, VecDeque};
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

pub type PeerId = u64;

/// An ordered list of peers as well as a set of them, kept consistent.
#[derive(Default)]
pub struct PeerList {
    peers_set: HashSet<PeerId>,
    peers: Vec<PeerId>,
}

impl PeerList {
    pub fn add_peer(&mut self, peer_id: PeerId) -> bool {
        let new = self.peers_set.insert(peer_id);
        if new {
            self.peers.push(peer_id);
        }
        new
    }

    pub fn remove_peer(&mut self, peer_id: &PeerId) {
        if self.peers_set.remove(peer_id) {
            self.peers.retain(|p| p != peer_id);
        }
    }

    pub fn len(&self) -> usize {
        self.peers.len()
    }

    pub fn get(&self, index: usize) -> PeerId {
        self.peers[index]
    }
}

/// Requests each of a queue of ids from the peers, in turn.
pub struct SyncQueue<I, O> {
    peers: Arc<RwLock<PeerList>>,
    ids_to_request: Mutex<VecDeque<I>>,
    current_peer_index: AtomicUsize,
    request_fn: Box<dyn Fn(&I, PeerId) -> Option<O> + Send + Sync>,
}

impl<I: Debug, O> SyncQueue<I, O> {
    const MAX_TRIES: usize = 5;

    pub fn new(peers: Arc<RwLock<PeerList>>, ids: Vec<I>, request_fn: impl Fn(&I, PeerId) -> Option<O> + Send + Sync + 'static) -> Self {
        SyncQueue {
            peers,
            ids_to_request: Mutex::new(ids.into()),
            current_peer_index: AtomicUsize::new(0),
            request_fn: Box::new(request_fn),
        }
    }

    fn next_peer(&self) -> Option<PeerId> {
        let turn = self.current_peer_index.fetch_add(1, Ordering::Relaxed);
        let peers = self.peers.read();
        if peers.len() == 0 {
            return None;
        }
        Some(peers.get(turn % peers.len()))
    }

    /// The next id with its answer; None when there are no ids left. Any number of threads may call this.
    pub fn next(&self) -> Option<Result<O, I>> {
        let id = self.ids_to_request.lock().pop_front()?;
        for _ in 0..Self::MAX_TRIES {
            let Some(peer) = self.next_peer() else { break };
            match (self.request_fn)(&id, peer) {
                Some(output) => return Some(Ok(output)),
                None => eprintln!("peer {peer} failed to answer {id:?}"),
            }
        }
        Some(Err(id))
    }

    pub fn add_ids(&self, ids: impl IntoIterator<Item = I>) {
        self.ids_to_request.lock().extend(ids);
    }
}

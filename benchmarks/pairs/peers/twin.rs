//! Changed in place.
use std::collections::BTreeSet;
use std::net::SocketAddr;
use tokio::sync::watch;
pub struct Peers { known: watch::Sender<BTreeSet<SocketAddr>> }
impl Peers {
    pub fn new() -> (Self, watch::Receiver<BTreeSet<SocketAddr>>) {
        let (known, seen) = watch::channel(BTreeSet::new());
        (Peers { known }, seen)
    }
    pub fn joined(&self, peer: SocketAddr) -> usize {
        let mut count = 0;
        self.known.send_modify(|peers| {
            peers.insert(peer);
            count = peers.len();
        });
        count
    }
    pub fn left(&self, peer: &SocketAddr) { self.known.send_modify(|peers| { peers.remove(peer); }); }
}

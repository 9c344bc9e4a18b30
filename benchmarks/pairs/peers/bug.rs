//! What a watch holds is copied, changed, and sent: of two peers one is lost.
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
        let mut peers = self.known.borrow().clone(); //~
        peers.insert(peer);
        let count = peers.len();
        self.known.send_replace(peers); //~
        count
    }
    pub fn left(&self, peer: &SocketAddr) { self.known.send_modify(|peers| { peers.remove(peer); }); }
}

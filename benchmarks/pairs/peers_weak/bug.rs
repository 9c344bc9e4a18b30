// One connection per peer, kept weakly; connecting takes long, and somebody else may have connected meanwhile.
use std::sync::Arc;

pub mod link {
    use std::sync::atomic::{AtomicU64, Ordering};
    pub struct Link { pub peer: u32, pub sent: AtomicU64 }
    impl Link {
        pub async fn open(peer: u32) -> Link { tokio::task::yield_now().await; Link { peer, sent: AtomicU64::new(0) } }
        pub fn send(&self, n: u64) -> u64 { self.sent.fetch_add(n, Ordering::SeqCst) + n }
    }
}
pub mod registry {
    use super::link::Link;
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex, Weak};
    #[derive(Default)]
    pub struct Registry { links: Mutex<HashMap<u32, Weak<Link>>> }
    impl Registry {
        fn live(&self, peer: u32) -> Option<Arc<Link>> { self.links.lock().unwrap().get(&peer).and_then(Weak::upgrade) }
        pub async fn link(&self, peer: u32) -> Arc<Link> {
            if let Some(link) = self.live(peer) { return link; } //~
            let link = Arc::new(Link::open(peer).await);
            self.links.lock().unwrap().insert(peer, Arc::downgrade(&link)); //~
            link
        }
        pub fn sweep(&self) { self.links.lock().unwrap().retain(|_, link| link.strong_count() > 0); }
    }
}
pub fn registry() -> Arc<registry::Registry> { Arc::default() }

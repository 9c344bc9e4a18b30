//! Looks again under the lock behind the await.
use std::sync::Arc;
use tokio::sync::Mutex;
#[derive(Debug)]
pub struct Socket { pub peer: String }
enum Link { Down, Dialing, Up(Socket), Closed }
#[derive(Clone)]
pub struct Client { link: Arc<Mutex<Link>> }
async fn dial(peer: &str) -> Socket { tokio::task::yield_now().await; Socket { peer: peer.into() } }
impl Client {
    pub fn new() -> Self { Client { link: Arc::new(Mutex::new(Link::Down)) } }
    pub async fn connect(&self, peer: &str) -> bool {
        {
            let mut link = self.link.lock().await;
            let Link::Down = *link else { return false };
            *link = Link::Dialing;
        }
        let socket = dial(peer).await;
        let mut link = self.link.lock().await;
        if !matches!(*link, Link::Dialing) { return false; }
        *link = Link::Up(socket);
        true
    }
    pub async fn close(&self) { *self.link.lock().await = Link::Closed; }
    pub async fn peer(&self) -> Option<String> {
        match &*self.link.lock().await { Link::Up(socket) => Some(socket.peer.clone()), _ => None }
    }
}

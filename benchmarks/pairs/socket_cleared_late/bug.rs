//! whatsapp-rust pull request 1227 (review): cleaning up awaits the old transport, and then clears the slot, in which a new connection may be
use std::sync::Arc;
use tokio::sync::Mutex;
pub struct Socket(u32);
impl Socket { async fn close(&self) { tokio::task::yield_now().await; } }
#[derive(Default)]
pub struct Client { transport: Mutex<Option<Arc<Socket>>>, noise: Mutex<Option<Arc<Socket>>> }
impl Client {
    pub async fn connect(&self, n: u32) {
        let socket = Arc::new(Socket(n));
        *self.transport.lock().await = Some(socket.clone());
        *self.noise.lock().await = Some(socket);
    }
    pub async fn cleanup(&self) {
        let old = self.transport.lock().await.take(); //~
        if let Some(old) = old { old.close().await; }
        *self.noise.lock().await = None; //~
    }
    pub async fn send(&self) -> Option<u32> { self.noise.lock().await.as_ref().map(|s| s.0) }
}

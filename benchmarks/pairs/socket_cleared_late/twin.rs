//! repaired: one lock for both, taken before closing
use std::sync::Arc;
use tokio::sync::Mutex;
pub struct Socket(u32);
impl Socket { async fn close(&self) { tokio::task::yield_now().await; } }
#[derive(Default)]
pub struct Slots { transport: Option<Arc<Socket>>, noise: Option<Arc<Socket>> }
#[derive(Default)]
pub struct Client { slots: Mutex<Slots> }
impl Client {
    pub async fn connect(&self, n: u32) {
        let socket = Arc::new(Socket(n));
        let mut slots = self.slots.lock().await;
        slots.transport = Some(socket.clone());
        slots.noise = Some(socket);
    }
    pub async fn cleanup(&self) {
        let old = { let mut slots = self.slots.lock().await; slots.noise = None; slots.transport.take() };
        if let Some(old) = old { old.close().await; }
    }
    pub async fn send(&self) -> Option<u32> { self.slots.lock().await.noise.as_ref().map(|s| s.0) }
}

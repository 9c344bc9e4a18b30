//! Whoever accepts has the receiver to itself until something came; the others wait for the lock.
use tokio::sync::{mpsc, Mutex};
pub struct Mux { streams: Mutex<mpsc::Receiver<u32>> }
impl Mux {
    pub fn new(streams: mpsc::Receiver<u32>) -> Self { Self { streams: Mutex::new(streams) } }
    pub async fn accept(&self) -> Option<u32> { self.streams.lock().await.recv().await }
}

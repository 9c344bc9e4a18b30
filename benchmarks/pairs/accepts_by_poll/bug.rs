//! A receiver behind a mutex is polled by whoever accepts: it keeps the waker of the last one only. When that one is dropped, what comes wakes nobody, though the first still waits.
use std::future::poll_fn;
use std::sync::Mutex;
use tokio::sync::mpsc;
pub struct Mux { streams: Mutex<mpsc::Receiver<u32>> }
impl Mux {
    pub fn new(streams: mpsc::Receiver<u32>) -> Self { Self { streams: Mutex::new(streams) } }
    pub async fn accept(&self) -> Option<u32> {
        poll_fn(|cx| self.streams.lock().unwrap().poll_recv(cx)).await //~
    }
}

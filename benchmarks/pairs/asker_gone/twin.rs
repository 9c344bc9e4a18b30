//! An answer that nobody waits for any more is dropped.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};
pub struct Link { waiting: Arc<Mutex<HashMap<u32, oneshot::Sender<String>>>>, out: mpsc::UnboundedSender<u32> }
impl Link {
    pub fn start(mut from_peer: mpsc::Receiver<(u32, String)>, out: mpsc::UnboundedSender<u32>) -> Self {
        let waiting: Arc<Mutex<HashMap<u32, oneshot::Sender<String>>>> = Arc::default();
        let map = waiting.clone();
        tokio::spawn(async move {
            while let Some((id, answer)) = from_peer.recv().await {
                let Some(asker) = map.lock().unwrap().remove(&id) else { continue };
                asker.send(answer).ok();
            }
        });
        Self { waiting, out }
    }
    pub async fn ask(&self, id: u32) -> Option<String> {
        let (send, answer) = oneshot::channel();
        self.waiting.lock().unwrap().insert(id, send);
        self.out.send(id).ok()?;
        answer.await.ok()
    }
}

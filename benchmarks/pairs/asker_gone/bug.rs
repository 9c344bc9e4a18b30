//! An asker that is dropped while it waits leaves its entry behind; its answer then cannot be delivered, and the task that serves all takes that for a reason to end.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};
pub struct Link { waiting: Arc<Mutex<HashMap<u32, oneshot::Sender<String>>>>, out: mpsc::UnboundedSender<u32> }
impl Link {
    pub fn start(mut from_peer: mpsc::Receiver<(u32, String)>, out: mpsc::UnboundedSender<u32>) -> Self {
        let waiting: Arc<Mutex<HashMap<u32, oneshot::Sender<String>>>> = Arc::default();
        let map = waiting.clone();
        tokio::spawn(async move { //~
            while let Some((id, answer)) = from_peer.recv().await {
                let Some(asker) = map.lock().unwrap().remove(&id) else { continue };
                asker.send(answer)?;
            }
            Ok::<(), String>(())
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

//! Whether anybody observes is looked at again under the lock that observers are made under.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{watch, Mutex};

#[derive(Clone, Default)]
pub struct Paths {
    observed: Arc<Mutex<HashMap<String, Arc<watch::Sender<u64>>>>>,
}

impl Paths {
    pub async fn observe(&self, path: &str) -> watch::Receiver<u64> {
        let mut observed = self.observed.lock().await;
        if let Some(sender) = observed.get(path) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(0);
        let sender = Arc::new(sender);
        observed.insert(path.to_string(), sender.clone());
        let (paths, path) = (self.clone(), path.to_string());
        tokio::spawn(async move {
            loop {
                sender.closed().await;
                let mut observed = paths.observed.lock().await;
                if sender.receiver_count() == 0 {
                    observed.remove(&path);
                    break;
                }
            }
        });
        receiver
    }
    pub async fn changed(&self, path: &str, now: u64) {
        if let Some(sender) = self.observed.lock().await.get(path) {
            sender.send_replace(now);
        }
    }
}

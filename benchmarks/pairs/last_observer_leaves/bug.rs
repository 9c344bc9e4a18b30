//! A task waits until nobody observes a path any more and then removes it: who starts to observe in between has a receiver of what is removed and hears of no change.
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
            return sender.subscribe(); //~
        }
        let (sender, receiver) = watch::channel(0);
        let sender = Arc::new(sender);
        observed.insert(path.to_string(), sender.clone());
        let (paths, path) = (self.clone(), path.to_string());
        tokio::spawn(async move {
            sender.closed().await; //~
            paths.observed.lock().await.remove(&path); //~
        });
        receiver
    }
    pub async fn changed(&self, path: &str, now: u64) {
        if let Some(sender) = self.observed.lock().await.get(path) {
            sender.send_replace(now);
        }
    }
}

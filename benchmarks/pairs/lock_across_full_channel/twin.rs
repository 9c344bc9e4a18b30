//! The sender is copied under the lock, and used when that is given back.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};

#[derive(Default)]
pub struct Inner {
    subscriptions: HashMap<u64, mpsc::Sender<String>>,
    sent: u64,
}

#[derive(Clone, Default)]
pub struct Client(Arc<Mutex<Inner>>);

impl Client {
    pub async fn subscribe(&self, sid: u64) -> mpsc::Receiver<String> {
        let (tx, rx) = mpsc::channel(1);
        self.0.lock().await.subscriptions.insert(sid, tx);
        rx
    }

    pub async fn deliver(&self, sid: u64, text: String) {
        let tx = self.0.lock().await.subscriptions.get(&sid).cloned();
        if let Some(tx) = tx {
            let _ = tx.send(text).await;
        }
    }

    pub async fn publish(&self) {
        self.0.lock().await.sent += 1;
    }

    pub async fn echo(&self, sid: u64) {
        let mut rx = self.subscribe(sid).await;
        while let Some(_text) = rx.recv().await {
            self.publish().await;
        }
    }
}

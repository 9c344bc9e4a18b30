//! A lock is held while a message waits for room in a channel, whose receiver takes that lock before it takes the next one (rants 0.6.0, `Client::handle_server_message`).
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
        let mut client = self.0.lock().await;
        if let Some(tx) = client.subscriptions.get_mut(&sid) {
            let _ = tx.send(text).await; //~
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

// Who notes that the connection is lost clears what belongs to it at once; a reader whose subscription is over touches nothing.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, Mutex};

#[derive(Default)]
pub struct Shared {
    subscriptions: HashMap<u64, mpsc::Sender<(String, String)>>,
    waiting: HashMap<String, oneshot::Sender<String>>,
    wildcard: Option<u64>,
    next: u64,
}

#[derive(Clone, Default)]
pub struct Client(Arc<Mutex<Shared>>);

async fn wildcard_handler(client: Arc<Mutex<Shared>>, sid: u64, mut rx: mpsc::Receiver<(String, String)>) {
    while let Some((subject, text)) = rx.recv().await {
        let mut shared = client.lock().await;
        if shared.wildcard != Some(sid) {
            return;
        }
        if let Some(tx) = shared.waiting.remove(&subject) {
            let _ = tx.send(text);
        }
    }
}

impl Client {
    pub fn new() -> Self {
        Self::default()
    }

    pub async fn message(&self, sid: u64, subject: String, text: String) {
        let tx = self.0.lock().await.subscriptions.get(&sid).cloned();
        if let Some(tx) = tx {
            let _ = tx.send((subject, text)).await;
        }
    }

    pub async fn connection_lost(&self) {
        let mut shared = self.0.lock().await;
        if let Some(sid) = shared.wildcard.take() {
            shared.subscriptions.remove(&sid);
            shared.waiting.clear();
        }
    }

    /// `publish` asks what is to be answered to the subject.
    pub async fn request(&self, publish: impl FnOnce(String)) -> Option<String> {
        let (subject, rx) = {
            let mut shared = self.0.lock().await;
            if shared.wildcard.is_none() {
                let (tx, rx) = mpsc::channel(1024);
                shared.next += 1;
                let sid = shared.next;
                shared.subscriptions.insert(sid, tx);
                shared.wildcard = Some(sid);
                tokio::spawn(wildcard_handler(self.0.clone(), sid, rx));
            }
            let (tx, rx) = oneshot::channel();
            shared.next += 1;
            let subject = format!("inbox.{}", shared.next);
            shared.waiting.insert(subject.clone(), tx);
            (subject, rx)
        };
        publish(subject);
        rx.await.ok()
    }
}

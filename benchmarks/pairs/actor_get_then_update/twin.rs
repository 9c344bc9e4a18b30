// One message looks and takes.
use std::collections::HashMap;
use tokio::sync::{mpsc, oneshot};

enum Message {
    Take(String, u64, oneshot::Sender<bool>),
}

#[derive(Clone)]
pub struct Limiter {
    store: mpsc::Sender<Message>,
    max: u64,
}

async fn run(mut rx: mpsc::Receiver<Message>) {
    let mut left: HashMap<String, u64> = HashMap::new();
    while let Some(message) = rx.recv().await {
        match message {
            Message::Take(key, max, answer) => {
                let value = left.entry(key).or_insert(max);
                let allowed = *value > 0;
                *value = value.saturating_sub(1);
                let _ = answer.send(allowed);
            }
        }
    }
}

impl Limiter {
    pub fn start(max: u64) -> Self {
        let (store, rx) = mpsc::channel(16);
        tokio::spawn(run(rx));
        Limiter { store, max }
    }

    pub async fn allow(&self, key: String) -> bool {
        let (tx, rx) = oneshot::channel();
        let _ = self.store.send(Message::Take(key, self.max, tx)).await;
        rx.await.unwrap_or(false)
    }
}

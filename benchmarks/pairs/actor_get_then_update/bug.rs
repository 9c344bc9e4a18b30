// actix-ratelimit 0.3.1, src/middleware.rs: the limiter's numbers are an actor's; a request asks how much is left, waits for the answer, and
// tells to set it or take one: two see "nothing noted yet" and both set max - 1, or both see the last one.
use std::collections::HashMap;
use tokio::sync::{mpsc, oneshot};

enum Message {
    Get(String, oneshot::Sender<Option<u64>>),
    Set(String, u64),
    Update(String, oneshot::Sender<u64>),
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
            Message::Get(key, answer) => {
                let _ = answer.send(left.get(&key).copied());
            }
            Message::Set(key, value) => {
                left.insert(key, value);
            }
            Message::Update(key, answer) => {
                let value = left.entry(key).or_insert(0);
                *value = value.saturating_sub(1);
                let _ = answer.send(*value);
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
        let _ = self.store.send(Message::Get(key.clone(), tx)).await; //~
        match rx.await {
            Ok(Some(0)) => false,
            Ok(Some(_)) => {
                let (tx, rx) = oneshot::channel();
                let _ = self.store.send(Message::Update(key, tx)).await; //~
                rx.await.is_ok()
            }
            _ => {
                let _ = self.store.send(Message::Set(key, self.max - 1)).await; //~
                true
            }
        }
    }
}

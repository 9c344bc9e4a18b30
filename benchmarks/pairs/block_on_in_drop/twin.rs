// A mutex of std, which nobody holds across an `.await`.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

type Waiting = Arc<Mutex<HashMap<u64, mpsc::Sender<String>>>>;

struct Request {
    key: u64,
    waiting: Waiting,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.waiting.lock().unwrap().remove(&self.key);
    }
}

#[derive(Clone, Default)]
pub struct Client {
    waiting: Waiting,
    next: Arc<AtomicU64>,
}

impl Client {
    /// `ask` sends what is to be answered under the number.
    pub async fn call(&self, ask: impl FnOnce(u64)) -> Option<String> {
        let request = Request { key: self.next.fetch_add(1, Ordering::Relaxed), waiting: self.waiting.clone() };
        let (tx, mut rx) = mpsc::channel(1);
        self.waiting.lock().unwrap().insert(request.key, tx);
        ask(request.key);
        tokio::time::timeout(Duration::from_secs(1), rx.recv()).await.ok().flatten()
    }

    pub async fn answer(&self, key: u64, text: String) {
        let tx = self.waiting.lock().unwrap().get(&key).cloned();
        if let Some(tx) = tx {
            let _ = tx.send(text).await;
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = Client::default();
    let other = client.clone();
    let answer = client.call(|key| {
        tokio::spawn(async move {
            for text in ["a", "b"] {
                other.answer(key, text.into()).await;
            }
        });
    });
    println!("{:?}", answer.await);
}

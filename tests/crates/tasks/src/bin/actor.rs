//! An actor owns its state; requests reach it through a channel, answers come back through another.
use std::collections::HashMap;

use tokio::sync::{mpsc, oneshot};

enum Request {
    Set(String, String),
    Get(String, oneshot::Sender<Option<String>>),
}

struct Actor {
    values: HashMap<String, String>,
    requests: mpsc::Receiver<Request>,
}

impl Actor {
    async fn run(mut self) {
        while let Some(request) = self.requests.recv().await {
            match request {
                Request::Set(key, value) => {
                    self.values.insert(key, value);
                }
                Request::Get(key, answer) => {
                    tokio::task::yield_now().await;
                    let _ = answer.send(self.values.get(&key).cloned());
                }
            }
        }
    }
}

#[tokio::main]
async fn main() {
    let (sender, requests) = mpsc::channel(8);
    tokio::spawn(Actor { values: HashMap::new(), requests }.run());
    for number in 0..3 {
        let sender = sender.clone();
        tokio::spawn(async move {
            let key = number.to_string();
            let _ = sender.send(Request::Set(key.clone(), "x".into())).await;
            let (answer, got) = oneshot::channel();
            let _ = sender.send(Request::Get(key, answer)).await;
            let _ = got.await;
        });
    }
}

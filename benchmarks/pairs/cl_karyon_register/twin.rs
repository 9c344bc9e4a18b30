// karyon_jsonrpc after pull request 65: entered first, then sent.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};

#[derive(Clone, Default)]
struct Dispatcher {
    waiting: Arc<Mutex<HashMap<u64, oneshot::Sender<String>>>>,
}

impl Dispatcher {
    fn register(&self, id: u64) -> oneshot::Receiver<String> {
        let (tx, rx) = oneshot::channel();
        self.waiting.lock().unwrap().insert(id, tx);
        rx
    }
    fn dispatch(&self, id: u64, answer: String) {
        if let Some(tx) = self.waiting.lock().unwrap().remove(&id) {
            let _ = tx.send(answer);
        }
    }
}

#[derive(Clone)]
pub struct Client {
    requests: mpsc::Sender<(u64, String)>,
    dispatcher: Dispatcher,
}

impl Client {
    pub fn new() -> Client {
        let (requests, mut rx) = mpsc::channel::<(u64, String)>(16);
        let dispatcher = Dispatcher::default();
        let of_task = dispatcher.clone();
        tokio::spawn(async move {
            while let Some((id, method)) = rx.recv().await {
                of_task.dispatch(id, format!("done: {method}"));
            }
        });
        Client { requests, dispatcher }
    }

    pub async fn call(&self, id: u64, method: &str) -> Option<String> {
        let rx = self.dispatcher.register(id);
        self.requests.send((id, method.to_string())).await.ok()?;
        rx.await.ok()
    }
}

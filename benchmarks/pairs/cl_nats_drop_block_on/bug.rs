// async-nats 0.10 (fixed by pull request 363, Apr 2022), src/lib.rs: `Drop for Subscriber` blocks in `futures::executor::block_on` until the
// connection's task takes the "unsubscribe" from a bounded channel: dropped on a worker, it keeps the thread from that task.
use std::collections::HashMap;
use tokio::sync::mpsc;

enum ClientOp {
    Subscribe { id: u64, to: mpsc::Sender<String> },
    Unsubscribe { id: u64 },
    Publish { text: String },
}

#[derive(Clone)]
pub struct Client {
    ops: mpsc::Sender<ClientOp>,
}

pub struct Subscriber {
    id: u64,
    receiver: mpsc::Receiver<String>,
    ops: mpsc::Sender<ClientOp>,
}

impl Client {
    pub fn connect() -> Client {
        let (ops, mut rx) = mpsc::channel(4);
        tokio::spawn(async move {
            let mut subscribers: HashMap<u64, mpsc::Sender<String>> = HashMap::new();
            while let Some(op) = rx.recv().await {
                match op {
                    ClientOp::Subscribe { id, to } => {
                        subscribers.insert(id, to);
                    }
                    ClientOp::Unsubscribe { id } => {
                        subscribers.remove(&id);
                    }
                    ClientOp::Publish { text } => {
                        for to in subscribers.values() {
                            let _ = to.try_send(text.clone());
                        }
                    }
                }
            }
        });
        Client { ops }
    }

    pub async fn subscribe(&self, id: u64) -> Subscriber {
        let (to, receiver) = mpsc::channel(16);
        let _ = self.ops.send(ClientOp::Subscribe { id, to }).await;
        Subscriber { id, receiver, ops: self.ops.clone() }
    }

    pub async fn publish(&self, text: String) {
        let _ = self.ops.send(ClientOp::Publish { text }).await;
    }

    pub async fn one(&self, id: u64) -> Option<String> {
        let mut subscriber = self.subscribe(id).await;
        subscriber.receiver.recv().await
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.receiver.close();
        let _ = futures::executor::block_on(self.ops.send(ClientOp::Unsubscribe { id: self.id }));
    }
}

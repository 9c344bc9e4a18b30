//! A counter that lives in a task of its own.

use tokio::sync::{mpsc, oneshot};

enum Message {
    Add(u64),
    Total(oneshot::Sender<u64>),
}

#[derive(Clone)]
pub struct Counter {
    inbox: mpsc::Sender<Message>,
}

impl Counter {
    /// Starts the task; has to be called inside a runtime.
    pub fn start() -> Counter {
        let (inbox, messages) = mpsc::channel(32);
        tokio::spawn(run(messages));
        Counter { inbox }
    }

    pub async fn add(&self, amount: u64) {
        let _ = self.inbox.send(Message::Add(amount)).await;
    }

    pub async fn total(&self) -> Option<u64> {
        let (reply, answer) = oneshot::channel();
        self.inbox.send(Message::Total(reply)).await.ok()?;
        answer.await.ok()
    }
}

async fn run(mut messages: mpsc::Receiver<Message>) {
    let mut total = 0;
    while let Some(message) = messages.recv().await {
        match message {
            Message::Add(amount) => total += amount,
            Message::Total(reply) => {
                let _ = reply.send(total);
            }
        }
    }
}

// xtra 0.5 (fixed in 0.6, pull request 48), src/context.rs: the task of `notify_interval` keeps a strong address of its own actor: the actor's channel
// is never closed, and neither the actor nor the task ever ends when all handles are gone.
use std::time::Duration;
use tokio::sync::mpsc;

pub struct Address {
    tx: mpsc::UnboundedSender<&'static str>,
}

impl Address {
    pub fn start() -> Address {
        let (tx, mut rx) = mpsc::unbounded_channel();
        let of_interval = tx.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                if of_interval.send("tick").is_err() {
                    break;
                }
            }
        });
        tokio::spawn(async move {
            while let Some(message) = rx.recv().await {
                println!("{message}");
            }
        });
        Address { tx }
    }

    pub fn send(&self, message: &'static str) {
        let _ = self.tx.send(message);
    }
}

// xtra 0.6: the task keeps a weak address.
use std::time::Duration;
use tokio::sync::mpsc;

pub struct Address {
    tx: mpsc::UnboundedSender<&'static str>,
}

impl Address {
    pub fn start() -> Address {
        let (tx, mut rx) = mpsc::unbounded_channel();
        let of_interval = tx.downgrade();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let Some(tx) = of_interval.upgrade() else { break };
                let _ = tx.send("tick");
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

// iroh 0.98 (fixed by pull request 4272, May 2026), src/socket/remote_map.rs: a message for an actor that has ended starts a new one and enters
// it under the id; the clean-up of the ended one then takes the entry of the *new* one out: the next message starts a third.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

#[derive(Clone, Default)]
pub struct RemoteMap {
    senders: Arc<Mutex<HashMap<u64, mpsc::Sender<String>>>>,
}

impl RemoteMap {
    fn start(&self, id: u64) -> mpsc::Sender<String> {
        let (tx, mut rx) = mpsc::channel::<String>(16);
        let map = self.clone();
        tokio::spawn(async move {
            while let Some(message) = rx.recv().await {
                if message == "quit" {
                    break;
                }
            }
            rx.close();
            map.cleanup(id);
        });
        tx
    }

    pub fn send(&self, id: u64, message: String) {
        let mut senders = self.senders.lock().unwrap();
        let usable = senders.get(&id).filter(|tx| !tx.is_closed()).cloned();
        let tx = match usable {
            Some(tx) => tx,
            None => {
                let tx = self.start(id);
                senders.insert(id, tx.clone());
                tx
            }
        };
        let _ = tx.try_send(message);
    }

    fn cleanup(&self, id: u64) {
        self.senders.lock().unwrap().remove(&id);
    }
}

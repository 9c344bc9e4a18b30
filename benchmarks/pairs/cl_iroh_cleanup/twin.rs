// iroh after pull request 4272: only the entry of an actor that has ended is taken out.
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
        let mut senders = self.senders.lock().unwrap();
        if senders.get(&id).is_some_and(|tx| tx.is_closed()) {
            senders.remove(&id);
        }
    }
}

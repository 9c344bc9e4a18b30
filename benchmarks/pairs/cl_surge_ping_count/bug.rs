// surge-ping 0.9.0 (fixed in 0.9.1), src/client.rs Drop for Client: who is the last handle is asked by `Arc::strong_count` before its own
// count is given back. Two handles dropped at once both see two, neither stops the receiving task: it lives on for ever.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

type Waiters = Arc<Mutex<HashMap<u16, oneshot::Sender<u32>>>>;

#[derive(Clone)]
pub struct Client {
    waiters: Waiters,
    receiver: Arc<JoinHandle<()>>,
}

impl Client {
    pub fn new() -> Client {
        let waiters: Waiters = Default::default();
        let of_task = waiters.clone();
        let receiver = tokio::spawn(async move {
            let mut seq = 0;
            loop {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                let found = of_task.lock().unwrap().remove(&seq);
                if let Some(tx) = found {
                    let _ = tx.send(7);
                }
                seq = seq.wrapping_add(1);
            }
        });
        Client { waiters, receiver: Arc::new(receiver) }
    }

    pub async fn ping(&self, seq: u16) -> Option<u32> {
        let (tx, rx) = oneshot::channel();
        self.waiters.lock().unwrap().insert(seq, tx);
        rx.await.ok()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if Arc::strong_count(&self.receiver) <= 1 {
            self.receiver.abort();
        }
    }
}

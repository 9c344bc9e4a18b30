// surge-ping 0.9.1: the handle of the task is in one struct behind the `Arc`, whose `Drop` runs once.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

type Waiters = Arc<Mutex<HashMap<u16, oneshot::Sender<u32>>>>;

struct Inner {
    waiters: Waiters,
    receiver: JoinHandle<()>,
}

#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
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
        Client { inner: Arc::new(Inner { waiters, receiver }) }
    }

    pub async fn ping(&self, seq: u16) -> Option<u32> {
        let (tx, rx) = oneshot::channel();
        self.inner.waiters.lock().unwrap().insert(seq, tx);
        rx.await.ok()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.receiver.abort();
    }
}

// surge-ping 0.9.0 (fixed in 0.9.1), src/ping.rs: a request enters its sender under a key, and takes out what is there under the key when
// it is done with or timed out: by then the entry may be that of a later request with the same key, which so is never answered.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

#[derive(Clone, Default)]
pub struct ReplyMap {
    inner: Arc<Mutex<HashMap<(u32, u16), oneshot::Sender<u64>>>>,
}

impl ReplyMap {
    fn new_waiter(&self, host: u32, seq: u16) -> Option<oneshot::Receiver<u64>> {
        let (tx, rx) = oneshot::channel();
        let mut inner = self.inner.lock().unwrap();
        if inner.contains_key(&(host, seq)) {
            return None;
        }
        inner.insert((host, seq), tx);
        Some(rx)
    }

    fn remove(&self, host: u32, seq: u16) -> Option<oneshot::Sender<u64>> {
        self.inner.lock().unwrap().remove(&(host, seq))
    }
}

#[derive(Clone)]
pub struct Client {
    replies: ReplyMap,
}

impl Client {
    pub fn new() -> Client {
        Client { replies: ReplyMap::default() }
    }

    pub async fn ping(&self, host: u32, seq: u16) -> Option<u64> {
        let rx = self.replies.new_waiter(host, seq)?;
        let answer = tokio::time::timeout(Duration::from_secs(1), rx).await;
        self.replies.remove(host, seq);
        answer.ok()?.ok()
    }

    pub fn on_packet(&self, host: u32, seq: u16, at: u64) {
        if let Some(tx) = self.replies.remove(host, seq) {
            let _ = tx.send(at);
        }
    }
}

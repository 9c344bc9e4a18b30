// surge-ping 0.9.1: each entry has a number, and only the entry with one's own number is taken out.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

#[derive(Clone, Default)]
pub struct ReplyMap {
    inner: Arc<Mutex<HashMap<(u32, u16), (u64, oneshot::Sender<u64>)>>>,
    next: Arc<AtomicU64>,
}

impl ReplyMap {
    fn new_waiter(&self, host: u32, seq: u16) -> Option<(u64, oneshot::Receiver<u64>)> {
        let (tx, rx) = oneshot::channel();
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut inner = self.inner.lock().unwrap();
        if inner.contains_key(&(host, seq)) {
            return None;
        }
        inner.insert((host, seq), (id, tx));
        Some((id, rx))
    }

    fn remove(&self, host: u32, seq: u16) -> Option<oneshot::Sender<u64>> {
        self.inner.lock().unwrap().remove(&(host, seq)).map(|e| e.1)
    }

    fn remove_own(&self, host: u32, seq: u16, id: u64) {
        let mut inner = self.inner.lock().unwrap();
        if inner.get(&(host, seq)).map(|e| e.0) == Some(id) {
            inner.remove(&(host, seq));
        }
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
        let (id, rx) = self.replies.new_waiter(host, seq)?;
        let answer = tokio::time::timeout(Duration::from_secs(1), rx).await;
        self.replies.remove_own(host, seq, id);
        answer.ok()?.ok()
    }

    pub fn on_packet(&self, host: u32, seq: u16, at: u64) {
        if let Some(tx) = self.replies.remove(host, seq) {
            let _ = tx.send(at);
        }
    }
}

// surge-ping 0.9.1: an entry has a number, and only one's own is taken out.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

#[derive(Clone, Default)]
struct ReplyMap {
    inner: Arc<Mutex<HashMap<(u32, u16), (u64, oneshot::Sender<u64>)>>>,
    next: Arc<AtomicU64>,
}

impl ReplyMap {
    fn new_waiter(&self, host: u32, seq: u16) -> Option<(u64, oneshot::Receiver<u64>)> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (tx, rx) = oneshot::channel();
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

pub struct Pinger {
    host: u32,
    last: Option<(u16, u64)>,
    replies: ReplyMap,
}

impl Pinger {
    fn new(host: u32, replies: ReplyMap) -> Pinger {
        Pinger { host, last: None, replies }
    }

    pub async fn ping(&mut self, seq: u16) -> Option<u64> {
        let (id, rx) = self.replies.new_waiter(self.host, seq)?;
        self.last = Some((seq, id));
        let answer = tokio::time::timeout(Duration::from_secs(1), rx).await;
        self.replies.remove_own(self.host, seq, id);
        answer.ok()?.ok()
    }
}

impl Drop for Pinger {
    fn drop(&mut self) {
        if let Some((seq, id)) = self.last.take() {
            self.replies.remove_own(self.host, seq, id);
        }
    }
}

#[derive(Clone, Default)]
pub struct Client {
    replies: ReplyMap,
}

impl Client {
    pub fn pinger(&self, host: u32) -> Pinger {
        Pinger::new(host, self.replies.clone())
    }
}

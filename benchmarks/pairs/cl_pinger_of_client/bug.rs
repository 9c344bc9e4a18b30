// Reduced from surge-ping 0.9.0: two pingers of one client share the client's map (`Pinger::new(host, self.replies.clone())`). Excused as "each
// call has a value to itself, which cannot be cloned and is made of new parts": the parts are not new. (With `on_packet` besides: denied.)
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

#[derive(Clone, Default)]
struct ReplyMap {
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

pub struct Pinger {
    host: u32,
    last: Option<u16>,
    replies: ReplyMap,
}

impl Pinger {
    fn new(host: u32, replies: ReplyMap) -> Pinger {
        Pinger { host, last: None, replies }
    }

    pub async fn ping(&mut self, seq: u16) -> Option<u64> {
        let rx = self.replies.new_waiter(self.host, seq)?;
        self.last = Some(seq);
        let answer = tokio::time::timeout(Duration::from_secs(1), rx).await;
        self.replies.remove(self.host, seq);
        answer.ok()?.ok()
    }
}

impl Drop for Pinger {
    fn drop(&mut self) {
        if let Some(seq) = self.last.take() {
            self.replies.remove(self.host, seq);
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

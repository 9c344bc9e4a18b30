//! `connect` sees a task that runs and starts none; that task has left its loop already and only takes its flag down: the relay is pending, and nothing connects it.
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::Arc;
use tokio::sync::Notify;

const PENDING: u8 = 1;
const TERMINATED: u8 = 2;

#[derive(Default)]
struct Inner {
    status: AtomicU8,
    running: AtomicBool,
    terminate: Notify,
}

#[derive(Clone, Default)]
pub struct Relay {
    inner: Arc<Inner>,
}

impl Relay {
    pub fn connect(&self) {
        self.inner.status.store(PENDING, Ordering::SeqCst); //~
        if self.inner.running.swap(true, Ordering::SeqCst) { //~
            return;
        }
        tokio::spawn(self.clone().connection());
    }
    pub fn disconnect(&self) {
        self.inner.status.store(TERMINATED, Ordering::SeqCst);
        self.inner.terminate.notify_one();
    }
    pub fn status(&self) -> u8 {
        self.inner.status.load(Ordering::SeqCst)
    }
    async fn connection(self) {
        while self.inner.status.load(Ordering::SeqCst) != TERMINATED { //~
            self.inner.terminate.notified().await;
        }
        self.inner.running.store(false, Ordering::SeqCst); //~
    }
}

// axum-server 0.9: `Handle::listening()` returned `None`, or waited forever, when it raced with the start.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

#[derive(Default)]
struct Inner { addr: Mutex<Option<SocketAddr>>, bound: Mutex<bool>, notify: Notify }

#[derive(Clone, Default)]
pub struct Handle { inner: Arc<Inner> }

impl Handle {
    pub fn new() -> Self { Self::default() }
    pub async fn listening(&self) -> Option<SocketAddr> {
        let notified = self.inner.notify.notified();
        if *self.inner.bound.lock().unwrap() {
            return *self.inner.addr.lock().unwrap();
        }
        notified.await;
        *self.inner.addr.lock().unwrap()
    }
    pub fn notify_listening(&self, addr: Option<SocketAddr>) {
        *self.inner.addr.lock().unwrap() = addr;
        *self.inner.bound.lock().unwrap() = true;
        self.inner.notify.notify_waiters();
    }
}

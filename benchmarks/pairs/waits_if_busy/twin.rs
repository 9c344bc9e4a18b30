//! Who waits for the end of a run is among those who are told before it looks whether one is under way.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use tokio::sync::Notify;
#[derive(Clone, Default)]
pub struct Lookup { busy: Arc<AtomicBool>, ended: Arc<Notify> }
impl Lookup {
    pub fn start(&self) {
        let me = self.clone();
        tokio::spawn(async move {
            me.busy.store(true, Ordering::Release);
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            me.busy.store(false, Ordering::Release);
            me.ended.notify_waiters();
        });
    }
    pub async fn wait(&self) {
        let mut ended = std::pin::pin!(self.ended.notified());
        ended.as_mut().enable();
        if self.busy.load(Ordering::Acquire) {
            ended.await;
        }
    }
}

//! Who sees that a run is under way waits to be told of its end: it may end between look and wait. Flag and word of it are a started task's.
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
            me.busy.store(false, Ordering::Release); //~
            me.ended.notify_waiters(); //~
        });
    }
    pub async fn wait(&self) {
        if self.busy.load(Ordering::Acquire) { //~
            self.ended.notified().await; //~
        }
    }
}

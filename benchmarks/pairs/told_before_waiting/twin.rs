//! `stop` is among those who are told before it asks the loop to end.
use std::sync::Arc;
use tokio::sync::{mpsc, Notify};
pub struct Router { ended: Arc<Notify>, stop: mpsc::Sender<()> }
impl Router {
    pub fn start() -> Self {
        let ended = Arc::new(Notify::new());
        let (stop, mut told) = mpsc::channel(1);
        let tell = ended.clone();
        tokio::spawn(async move {
            while told.try_recv().is_err() { poll().await; }
            tell.notify_waiters();
        });
        Self { ended, stop }
    }
    pub async fn stop(&self) {
        let mut ended = std::pin::pin!(self.ended.notified());
        ended.as_mut().enable();
        if self.stop.send(()).await.is_ok() {
            ended.await;
        }
    }
}
async fn poll() { tokio::time::sleep(std::time::Duration::from_millis(50)).await; }

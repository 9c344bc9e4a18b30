//! `stop` asks the loop to end and then begins to wait for word of it: the loop may have ended before, and nobody says it again.
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
            tell.notify_waiters(); //~
        });
        Self { ended, stop }
    }
    pub async fn stop(&self) {
        if self.stop.send(()).await.is_ok() { //~
            self.ended.notified().await; //~
        }
    }
}
async fn poll() { tokio::time::sleep(std::time::Duration::from_millis(50)).await; }

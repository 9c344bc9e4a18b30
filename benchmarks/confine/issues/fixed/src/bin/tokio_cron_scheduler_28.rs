//! mvniekerk/tokio-cron-scheduler#28: a future waits in a channel of std for what another task sends. C5.
use tokio::sync::oneshot;

struct Scheduler;

async fn announce(id: u32, to: oneshot::Sender<u32>) {
    let _ = to.send(id);
}

impl Scheduler {
    async fn add(&self, id: u32) -> Option<u32> {
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(announce(id, sender));
        receiver.await.ok()
    }
}

#[tokio::main]
async fn main() {
    let added = tokio::spawn(async { Scheduler.add(1).await });
    let _ = added.await;
}

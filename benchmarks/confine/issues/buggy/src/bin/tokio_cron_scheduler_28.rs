//! mvniekerk/tokio-cron-scheduler#28: a future waits in a channel of std for what another task sends. C5.
use tokio::sync::oneshot;

struct Scheduler;

async fn announce(id: u32, to: std::sync::mpsc::Sender<u32>) {
    let _ = to.send(id);
}

impl Scheduler {
    async fn add(&self, id: u32) -> Option<u32> {
        let (sender, receiver) = std::sync::mpsc::channel();
        tokio::spawn(announce(id, sender));
        receiver.recv().ok() //~ OFFENCE C5
    }
}

#[tokio::main]
async fn main() {
    let added = tokio::spawn(async { Scheduler.add(1).await });
    let _ = added.await;
    let _ = oneshot::channel::<u32>;
}

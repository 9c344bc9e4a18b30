//! Counts ticks until the user presses a key.

use std::io::Read;
use std::time::Duration;
use tokio::sync::watch;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (stop, stopped) = watch::channel(false);
    let ticker = tokio::spawn(tick(stopped));
    let _ = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0])).await;
    let _ = stop.send(true);
    println!("{} ticks", ticker.await.unwrap());
}

async fn tick(mut stopped: watch::Receiver<bool>) -> u64 {
    let mut interval = tokio::time::interval(Duration::from_millis(100));
    let mut ticks = 0;
    loop {
        tokio::select! {
            _ = interval.tick() => ticks += 1,
            _ = stopped.changed() => return ticks,
        }
    }
}

//! A program whose only runtime has one thread.
use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use tokio::time::sleep;

async fn hash() -> u32 {
    tokio::task::block_in_place(|| 3) //~ runtime-in-runtime
}

async fn hash_elsewhere() -> u32 {
    tokio::task::spawn_blocking(|| 3).await.unwrap_or_default()
}

/// Whoever wants the entry meanwhile keeps the one thread that could end this.
async fn send(streams: Arc<DashMap<u32, String>>) {
    if let Some(mut stream) = streams.get_mut(&3) {
        sleep(Duration::from_millis(1)).await; //~ lock-across-await
        stream.push('!');
    }
}

async fn close(streams: Arc<DashMap<u32, String>>) {
    streams.remove(&3);
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let streams = Arc::new(DashMap::new());
    tokio::spawn(hash());
    tokio::spawn(hash_elsewhere());
    tokio::spawn(send(streams.clone()));
    let _ = tokio::spawn(close(streams)).await;
}

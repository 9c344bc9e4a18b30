//! xacrimon/dashmap#79: an entry of the map, which is a lock, is kept over an await. C7.
use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;

struct Peers {
    streams: DashMap<u32, String>,
}

async fn write(text: &str) {
    tokio::time::sleep(Duration::from_millis(text.len() as u64)).await;
}

impl Peers {
    async fn send(&self, peer: u32) {
        let stream = self.streams.get(&peer).map(|stream| stream.clone());
        if let Some(stream) = stream {
            write(&stream).await;
        }
    }

    async fn close(&self, peer: u32) {
        self.streams.remove(&peer);
    }
}

#[tokio::main]
async fn main() {
    let peers = Arc::new(Peers { streams: DashMap::new() });
    for peer in 0..3 {
        let (one, other) = (peers.clone(), peers.clone());
        tokio::spawn(async move { one.send(peer).await });
        tokio::spawn(async move { other.close(peer).await });
    }
}

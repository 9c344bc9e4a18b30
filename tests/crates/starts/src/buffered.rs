//! A stream of futures, several at once.

use std::sync::{Arc, Mutex};

use futures::stream::{self, StreamExt};

type Hits = Arc<Mutex<u64>>;

async fn later(hits: Hits) {
    let before = *hits.lock().unwrap(); //~
    tokio::task::yield_now().await;
    *hits.lock().unwrap() = before + 1; //~
}

#[tokio::main]
async fn main() {
    let hits = Hits::default();
    let all = stream::iter(0..4).map(|_| later(hits.clone()));
    all.buffer_unordered(2).collect::<Vec<()>>().await;
    println!("{}", hits.lock().unwrap());
}

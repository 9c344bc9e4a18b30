//! A stream of which several items are worked on at once.

use std::sync::{Arc, Mutex};

use futures::stream::{self, StreamExt};

type Hits = Arc<Mutex<u64>>;

async fn later(hits: Hits) {
    *hits.lock().unwrap() += 1;
    tokio::task::yield_now().await;
}

#[tokio::main]
async fn main() {
    let hits = Hits::default();
    stream::iter(0..4).for_each_concurrent(2, |_| later(hits.clone())).await;
    println!("{}", hits.lock().unwrap());
}

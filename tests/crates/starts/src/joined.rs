//! Two futures at once.

use std::sync::{Arc, Mutex};

type Hits = Arc<Mutex<u64>>;

async fn later(hits: Hits) {
    let before = *hits.lock().unwrap(); //~
    tokio::task::yield_now().await;
    *hits.lock().unwrap() = before + 1; //~
}

#[tokio::main]
async fn main() {
    let hits = Hits::default();
    futures::future::join(later(hits.clone()), later(hits.clone())).await;
    println!("{}", hits.lock().unwrap());
}

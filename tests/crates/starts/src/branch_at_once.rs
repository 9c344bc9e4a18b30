//! Two branches of one task, which takes turns only where they wait.

use std::cell::Cell;

async fn later(hits: &Cell<u64>) {
    tokio::task::yield_now().await;
    hits.set(hits.get() + 1);
}

#[tokio::main]
async fn main() {
    let hits = Cell::new(0);
    tokio::join!(later(&hits), later(&hits));
    println!("{}", hits.get());
}

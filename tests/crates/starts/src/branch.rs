//! Two branches of one task.

use std::cell::Cell;

async fn later(hits: &Cell<u64>) {
    let before = hits.get(); //~
    tokio::task::yield_now().await;
    hits.set(before + 1); //~
}

#[tokio::main]
async fn main() {
    let hits = Cell::new(0);
    tokio::join!(later(&hits), later(&hits));
    println!("{}", hits.get());
}

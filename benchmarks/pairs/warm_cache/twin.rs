//! Main waits until the watch says that it is warm.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
#[derive(Clone, Copy, PartialEq, Debug)]
enum Phase { Cold, Warm }
type Cache = Arc<Mutex<HashMap<String, u32>>>;
async fn warm(cache: Cache, phase: watch::Sender<Phase>) {
    tokio::task::yield_now().await;
    cache.lock().unwrap().insert("answer".into(), 42);
    let _ = phase.send(Phase::Warm);
}
#[tokio::main]
async fn main() {
    let cache: Cache = Arc::default();
    let (phase, mut seen) = watch::channel(Phase::Cold);
    tokio::spawn(warm(cache.clone(), phase));
    while *seen.borrow_and_update() != Phase::Warm {
        if seen.changed().await.is_err() { return; }
    }
    let answer = cache.lock().unwrap().get("answer").copied();
    println!("{answer:?}");
}

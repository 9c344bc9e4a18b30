//! worldcoin/iris-mpc#959: a lock of std is held where a session is awaited, and all sessions want it. C7.
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Store {
    counts: Mutex<Vec<u32>>,
}

async fn exchange(count: u32) -> u32 {
    tokio::time::sleep(Duration::from_millis(u64::from(count))).await;
    count
}

async fn session(store: Arc<Store>) {
    let mut counts = store.counts.lock().unwrap();
    let count = exchange(counts.len() as u32).await; //~ OFFENCE C7
    counts.push(count);
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let local = tokio::task::LocalSet::new();
    let store = Arc::new(Store { counts: Mutex::new(Vec::new()) });
    local.block_on(&runtime, async move {
        for _ in 0..3 {
            tokio::task::spawn_local(session(store.clone()));
        }
    });
}

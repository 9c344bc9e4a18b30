//! To sleep is not to wait for a task.
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    tokio::time::sleep(Duration::from_millis(1)).await;
    let fonts = Arc::new(Mutex::new(Vec::new()));
    let loaded = fonts.clone();
    tokio::task::spawn_blocking(move || loaded.lock().unwrap().insert(0, "serif")); //~
    tokio::time::sleep(Duration::from_millis(100)).await;
    let first = fonts.lock().unwrap().first().copied(); //~
    println!("{first:?}");
}

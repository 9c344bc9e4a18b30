//! A request starts a task that fills the cache, and reads the cache without waiting for it.
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};

#[tokio::main]
async fn main() {
    let cache = Arc::new(Mutex::new(None::<String>));
    let (_sender, mut requests) = mpsc::channel::<u32>(1);
    while let Some(request) = requests.recv().await {
        let cache = cache.clone();
        tokio::spawn(async move {
            let filled = cache.clone();
            let _task = tokio::spawn(async move {
                *filled.lock().await = Some(request.to_string());
            });
            println!("{:?}", cache.lock().await);
        });
    }
}

//! Each task of a set reads the total and writes it back behind an await.
use std::sync::Arc;
use tokio::sync::RwLock;
use tokio::task::JoinSet;
async fn size_of(url: &str) -> u64 { tokio::task::yield_now().await; url.len() as u64 }
pub async fn total(urls: Vec<String>) -> u64 {
    let total = Arc::new(RwLock::new(0u64));
    let mut set = JoinSet::new();
    for url in urls {
        let total = Arc::clone(&total);
        set.spawn(async move {
            let so_far = *total.read().await; //~
            let size = size_of(&url).await;
            *total.write().await = so_far + size; //~
        });
    }
    while let Some(_) = set.join_next().await {}
    let total = *total.read().await;
    total
}

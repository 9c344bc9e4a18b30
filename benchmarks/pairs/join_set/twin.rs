//! Each gives its part, and one adds them up.
use std::sync::Arc;
use tokio::sync::RwLock;
use tokio::task::JoinSet;
async fn size_of(url: &str) -> u64 { tokio::task::yield_now().await; url.len() as u64 }
pub async fn total(urls: Vec<String>) -> u64 {
    let total = Arc::new(RwLock::new(0u64));
    let mut set = JoinSet::new();
    for url in urls {
        set.spawn(async move {
            size_of(&url).await
        });
    }
    while let Some(size) = set.join_next().await {
        *total.write().await += size.unwrap_or(0);
    }
    let total = *total.read().await;
    total
}

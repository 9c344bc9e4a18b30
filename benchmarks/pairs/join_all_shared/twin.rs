//! The total is made of their answers.
use futures::future::join_all;
use std::sync::Mutex;
async fn price(item: &str) -> u64 { tokio::task::yield_now().await; item.len() as u64 }
pub async fn basket(items: &[String]) -> u64 {
    let total = Mutex::new(0);
    let total = &total;
    let prices = join_all(items.iter().map(|item| async move {
        let price = price(item).await;
        *total.lock().unwrap() += price;
    }))
    .await;
    let total = *total.lock().unwrap();
    total + prices.len() as u64
}

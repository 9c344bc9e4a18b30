//! Futures of one `join_all` read a total, await, and write it.
use futures::future::join_all;
use std::sync::Mutex;
async fn price(item: &str) -> u64 { tokio::task::yield_now().await; item.len() as u64 }
pub async fn basket(items: &[String]) -> u64 {
    let total = Mutex::new(0);
    let total = &total;
    let prices = join_all(items.iter().map(|item| async move {
        let so_far = *total.lock().unwrap(); //~
        let price = price(item).await;
        *total.lock().unwrap() = so_far + price; //~
    }))
    .await;
    let total = *total.lock().unwrap();
    total + prices.len() as u64
}

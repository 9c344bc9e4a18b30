//! A closure of a stream sleeps as threads do.
use futures::stream::{self, StreamExt};
use std::time::Duration;
async fn send(to: &str) -> bool { tokio::task::yield_now().await; !to.is_empty() }
pub async fn notify_all(receivers: Vec<String>) -> usize {
    stream::iter(receivers)
        .map(|to| async move {
            std::thread::sleep(Duration::from_millis(100)); //~
            send(&to).await
        })
        .buffer_unordered(4)
        .filter(|sent| std::future::ready(*sent))
        .count()
        .await
}

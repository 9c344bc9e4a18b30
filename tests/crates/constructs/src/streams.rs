//! Streams: an iteration of a loop over one is an event; combinators run their closures.
use futures::{Stream, StreamExt, pin_mut};
use tokio::sync::Mutex;

/// One item after the other.
#[derive(Default)]
pub struct InTurn {
    sum: Mutex<u64>,
}

impl InTurn {
    async fn apply(&self, item: u64) {
        let mut sum = self.sum.lock().await;
        let seen = *sum;
        tokio::task::yield_now().await;
        *sum = seen * 2 + item;
    }

    pub async fn run(&self, items: impl Stream<Item = u64>) {
        pin_mut!(items);
        while let Some(item) = items.next().await {
            self.apply(item).await;
        }
    }
}

/// Several items at once.
#[derive(Default)]
pub struct AtOnce {
    sum: Mutex<u64>,
}

impl AtOnce {
    async fn apply(&self, item: u64) {
        let seen = *self.sum.lock().await; //~
        tokio::task::yield_now().await;
        *self.sum.lock().await = seen * 2 + item; //~
    }

    pub async fn run(&self, items: impl Stream<Item = u64>) {
        items.for_each_concurrent(4, |item| self.apply(item)).await;
    }
}

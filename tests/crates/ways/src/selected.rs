//! Futures that run as others ask for them: within `select!` of `futures`, and for the items of a stream.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use futures::{FutureExt, StreamExt};

#[derive(Default)]
pub struct Tally {
    counts: Mutex<HashMap<u32, u32>>,
}

impl Tally {
    async fn count(&self, key: u32) {
        let before = self.counts.lock().unwrap().get(&key).copied().unwrap_or(0); //~
        tokio::task::yield_now().await;
        self.counts.lock().unwrap().insert(key, before + 1); //~
    }

    pub async fn count_in_time(&self, key: u32) {
        let counted = self.count(key).fuse();
        let late = tokio::time::sleep(Duration::from_secs(1)).fuse();
        futures::pin_mut!(counted, late);
        futures::select! {
            () = counted => {}
            () = late => {}
        }
    }
}

#[derive(Default)]
pub struct Sums {
    sums: Mutex<HashMap<u32, u32>>,
}

impl Sums {
    async fn add(&self, key: u32) -> u32 {
        let before = self.sums.lock().unwrap().get(&key).copied().unwrap_or(0); //~
        tokio::task::yield_now().await;
        self.sums.lock().unwrap().insert(key, before + key); //~
        before
    }

    pub async fn add_all(&self, keys: Vec<u32>) -> u32 {
        let mut all = 0;
        let mut added = futures::stream::iter(keys).then(|key| self.add(key)).boxed();
        while let Some(before) = added.next().await {
            all += before;
        }
        all
    }
}

/// The same, at once.
#[derive(Default)]
pub struct Totals {
    totals: Mutex<HashMap<u32, u32>>,
}

impl Totals {
    async fn add(&self, key: u32) {
        tokio::task::yield_now().await;
        *self.totals.lock().unwrap().entry(key).or_default() += key;
    }

    pub async fn add_in_time(&self, key: u32) {
        let added = self.add(key).fuse();
        let late = tokio::time::sleep(Duration::from_secs(1)).fuse();
        futures::pin_mut!(added, late);
        futures::select! {
            () = added => {}
            () = late => {}
        }
    }

    pub async fn add_all(&self, keys: Vec<u32>) {
        let mut added = futures::stream::iter(keys).then(|key| self.add(key)).boxed();
        while added.next().await.is_some() {}
    }
}

//! The regions a node keeps alive, each with a task of its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

#[derive(Default)]
pub struct Countdown;

#[derive(Default)]
pub struct RegionAliveKeeper {
    tasks: Mutex<HashMap<u64, Arc<Countdown>>>,
}

impl RegionAliveKeeper {
    /// Starts the countdown of a region that has none.
    pub async fn register_region(&self, region: u64) {
        let countdown = prepare(region).await;
        self.tasks.lock().await.entry(region).or_insert(countdown);
    }

    pub async fn deregister_region(&self, region: u64) {
        self.tasks.lock().await.remove(&region);
    }
}

async fn prepare(_region: u64) -> Arc<Countdown> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    Arc::default()
}

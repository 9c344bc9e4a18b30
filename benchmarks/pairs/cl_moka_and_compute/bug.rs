// moka 0.12.13 (fixed in 0.12.14, commit 876015b), src/future/value_initializer.rs: `and_compute_with` enters a waiter for the key so that one
// computes at a time, reads the value, and takes the waiter out *before* the new value is stored: another computes with the old value.
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use tokio::sync::Notify;

#[derive(Default)]
pub struct Cache {
    values: RwLock<HashMap<String, u64>>,
    waiters: RwLock<HashMap<String, Arc<Notify>>>,
}

impl Cache {
    fn enter(&self, key: &str) -> Result<Arc<Notify>, Arc<Notify>> {
        let mut waiters = self.waiters.write().unwrap();
        match waiters.get(key) {
            Some(other) => Err(other.clone()),
            None => {
                let own = Arc::new(Notify::new());
                waiters.insert(key.to_string(), own.clone());
                Ok(own)
            }
        }
    }

    fn leave(&self, key: &str) {
        if let Some(own) = self.waiters.write().unwrap().remove(key) {
            own.notify_waiters();
        }
    }

    pub async fn and_compute_with<F: std::future::Future<Output = u64>>(&self, key: &str, f: impl Fn(Option<u64>) -> F) -> u64 {
        loop {
            if self.enter(key).is_ok() {
                break;
            }
            tokio::task::yield_now().await;
        }
        let old = self.values.read().unwrap().get(key).copied();
        let new = f(old).await;
        self.leave(key);
        self.values.write().unwrap().insert(key.to_string(), new);
        new
    }
}

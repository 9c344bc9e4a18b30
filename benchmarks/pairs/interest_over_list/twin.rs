//! Each balance is looked at again under the lock that it is changed under.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;
#[derive(Clone, Default)]
pub struct Bank { accounts: Arc<Mutex<HashMap<u32, i64>>> }
async fn rate(id: u32) -> i64 { tokio::time::sleep(std::time::Duration::from_millis(1)).await; i64::from(id) }
impl Bank {
    pub async fn deposit(&self, id: u32, n: i64) { *self.accounts.lock().await.entry(id).or_insert(0) += n; }
    pub async fn interest(&self) {
        let ids: Vec<u32> = self.accounts.lock().await.keys().copied().collect();
        for id in ids {
            let r = rate(id).await;
            if let Some(balance) = self.accounts.lock().await.get_mut(&id) { *balance += *balance * r / 100; }
        }
    }
}

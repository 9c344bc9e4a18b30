//! What is stored is made of the balance that was listed, though somebody may have paid in while the rates were asked for.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;
#[derive(Clone, Default)]
pub struct Bank { accounts: Arc<Mutex<HashMap<u32, i64>>> }
async fn rate(id: u32) -> i64 { tokio::time::sleep(std::time::Duration::from_millis(1)).await; i64::from(id) }
impl Bank {
    pub async fn deposit(&self, id: u32, n: i64) { *self.accounts.lock().await.entry(id).or_insert(0) += n; } //~
    pub async fn interest(&self) {
        let snapshot: Vec<(u32, i64)> = self.accounts.lock().await.iter().map(|(k, v)| (*k, *v)).collect(); //~
        for (id, balance) in snapshot {
            let r = rate(id).await;
            self.accounts.lock().await.insert(id, balance + balance * r / 100); //~
        }
    }
}

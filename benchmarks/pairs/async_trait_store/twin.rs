//! The row's lock is held.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::RwLock;
#[derive(Clone, Default)]
pub struct Row { stock: u32, reserved: u32 }
#[async_trait]
pub trait Repo: Send + Sync {
    async fn reserve(&self, sku: &str, n: u32) -> Result<u32, String>;
}
#[derive(Default)]
pub struct InMemory { rows: RwLock<HashMap<String, Row>> }
#[async_trait]
impl Repo for InMemory {
    async fn reserve(&self, sku: &str, n: u32) -> Result<u32, String> {
        let mut rows = self.rows.write().await;
        let row = rows.entry(sku.to_string()).or_default();
        if row.stock - row.reserved < n { return Err(format!("{sku}: sold out")); }
        row.reserved += n;
        let reserved = row.reserved;
        Ok(reserved)
    }
}
pub struct Shop { repo: Arc<dyn Repo> }
impl Shop {
    pub fn in_memory() -> Self { Shop { repo: Arc::new(InMemory::default()) } }
    pub async fn order(&self, sku: &str) -> bool { self.repo.reserve(sku, 1).await.is_ok() }
}

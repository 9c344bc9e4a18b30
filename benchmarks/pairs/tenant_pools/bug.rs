// A pool for each tenant: the first one makes it, the others wait for that one.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{OnceCell, RwLock};

pub struct Pool { pub tenant: String, pub size: usize }
async fn connect(tenant: &str) -> Pool { tokio::task::yield_now().await; Pool { tenant: tenant.to_string(), size: 4 } }

#[derive(Default)]
pub struct Pools { pools: RwLock<HashMap<String, Arc<Pool>>>, first: OnceCell<String> }
impl Pools {
    pub async fn first(&self) -> &str { self.first.get_or_init(|| async { "main".to_string() }).await }
    pub async fn pool(&self, tenant: &str) -> Arc<Pool> {
        if let Some(pool) = self.pools.read().await.get(tenant) { return pool.clone(); } //~
        let pool = Arc::new(connect(tenant).await);
        self.pools.write().await.insert(tenant.to_string(), pool.clone()); //~
        pool
    }
}

// saorsa-core 0.10 (fixed by commit 0771d90, Feb 2026), src/dht_network_manager.rs: a guard's `Drop` calls `tokio::spawn`; dropped by a thread of the
// caller's, or when the runtime is gone, there is none: it panics in `Drop`.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::RwLock;

pub struct OperationGuard {
    operations: Arc<RwLock<HashMap<String, u64>>>,
    id: String,
}

impl Drop for OperationGuard {
    fn drop(&mut self) {
        let operations = Arc::clone(&self.operations);
        let id = std::mem::take(&mut self.id);
        tokio::spawn(async move {
            operations.write().await.remove(&id);
        });
    }
}

#[derive(Clone, Default)]
pub struct Manager {
    operations: Arc<RwLock<HashMap<String, u64>>>,
}

impl Manager {
    pub async fn begin(&self, id: String) -> OperationGuard {
        self.operations.write().await.insert(id.clone(), 0);
        OperationGuard { operations: self.operations.clone(), id }
    }
}

pub fn ended_elsewhere(guard: OperationGuard) {
    std::thread::spawn(move || drop(guard));
}

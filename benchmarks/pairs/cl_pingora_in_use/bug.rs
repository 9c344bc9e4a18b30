// pingora-core 0.8.1 (fixed in 0.9.0, commit 82342e1), src/connectors/http/v2.rs InUsePool: no node for the key under the read lock, then a
// new one is entered under the write lock without a look: two threads do so, and the connections in the first node are orphaned.
use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

#[derive(Default)]
struct PoolNode {
    connections: Mutex<HashMap<u32, String>>,
}

impl PoolNode {
    fn insert(&self, id: u32, conn: String) {
        self.connections.lock().unwrap().insert(id, conn);
    }
    fn get_any(&self) -> Option<(u32, String)> {
        let mut connections = self.connections.lock().unwrap();
        let id = *connections.keys().next()?;
        connections.remove(&id).map(|c| (id, c))
    }
}

#[derive(Default)]
pub struct InUsePool {
    pools: RwLock<HashMap<u64, PoolNode>>,
}

impl InUsePool {
    pub fn insert(&self, key: u64, id: u32, conn: String) {
        {
            let pools = self.pools.read().unwrap();
            if let Some(pool) = pools.get(&key) {
                pool.insert(id, conn);
                return;
            }
        }
        let pool = PoolNode::default();
        pool.insert(id, conn);
        self.pools.write().unwrap().insert(key, pool);
    }

    pub fn get(&self, key: u64) -> Option<(u32, String)> {
        self.pools.read().unwrap().get(&key)?.get_any()
    }
}

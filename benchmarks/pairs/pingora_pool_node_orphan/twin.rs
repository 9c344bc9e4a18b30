// cloudflare/pingora commit 7ed6160 (in pull/893): repaired as there.
use dashmap::DashMap;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::oneshot;

pub type GroupKey = u64;
pub type ID = i32;

#[derive(Clone, Debug)]
pub struct ConnectionMeta {
    pub key: GroupKey,
    pub id: ID,
}

struct PoolConnection<S> {
    notify_use: oneshot::Sender<bool>,
    connection: S,
}

impl<S> PoolConnection<S> {
    fn new(notify_use: oneshot::Sender<bool>, connection: S) -> Self {
        PoolConnection { notify_use, connection }
    }

    fn release(self) -> S {
        let _ = self.notify_use.send(true);
        self.connection
    }
}

struct PoolNode<T> {
    connections: Mutex<HashMap<ID, T>>,
}

impl<T> PoolNode<T> {
    fn new() -> Self {
        PoolNode { connections: Mutex::new(HashMap::new()) }
    }

    fn get_any(&self) -> Option<(ID, T)> {
        let mut connections = self.connections.lock();
        let id = *connections.keys().next()?;
        connections.remove(&id).map(|conn| (id, conn))
    }

    fn insert(&self, id: ID, conn: T) {
        self.connections.lock().insert(id, conn);
    }

    fn remove(&self, id: ID) -> Option<T> {
        self.connections.lock().remove(&id)
    }

    fn is_empty(&self) -> bool {
        self.connections.lock().is_empty()
    }
}

pub struct ConnectionPool<S> {
    pools: DashMap<GroupKey, Arc<PoolNode<PoolConnection<S>>>>,
}

impl<S> ConnectionPool<S> {
    pub fn new(size: usize) -> Self {
        ConnectionPool { pools: DashMap::with_capacity(size) }
    }

    fn insert_pool_connection(&self, key: GroupKey, id: ID, connection: PoolConnection<S>) {
        let pool_node = self
            .pools
            .entry(key)
            .or_insert_with(|| Arc::new(PoolNode::new()));
        pool_node.insert(id, connection);
    }

    fn try_remove_empty_node(&self, key: GroupKey) {
        self.pools.remove_if(&key, |_, node| node.is_empty());
    }

    pub fn pop_closed(&self, meta: &ConnectionMeta) {
        let pool_node = match self.pools.get(&meta.key) {
            Some(v) => v.value().clone(),
            None => return,
        };
        pool_node.remove(meta.id);
        if pool_node.is_empty() {
            self.try_remove_empty_node(meta.key);
        }
    }

    pub fn get(&self, key: &GroupKey) -> Option<S> {
        let pool_node = self.pools.get(key)?.value().clone();
        let taken = pool_node.get_any();
        if pool_node.is_empty() {
            self.try_remove_empty_node(*key);
        }
        taken.map(|(_, connection)| connection.release())
    }

    pub fn put(&self, meta: &ConnectionMeta, connection: S) -> oneshot::Receiver<bool> {
        let (notify_use, watch_use) = oneshot::channel();
        let connection = PoolConnection::new(notify_use, connection);
        self.insert_pool_connection(meta.key, meta.id, connection);
        watch_use
    }
}

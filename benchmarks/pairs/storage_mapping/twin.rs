// Source: nextcloud/notify_push PR #740 (don't hold the mapping cache guard across the database query)
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use dashmap::DashMap;
use tokio::sync::Mutex;

#[derive(Debug)]
pub enum DatabaseError {
    Connect(String),
    Query(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserStorageAccess {
    pub user: String,
    pub root: String,
}

#[async_trait]
pub trait MountTable: Send + Sync + 'static {
    async fn mounts_for(&self, storage: u32) -> Result<Vec<UserStorageAccess>, DatabaseError>;
}

#[derive(Clone)]
struct CachedAccess {
    access: Arc<Vec<UserStorageAccess>>,
    loaded: Instant,
}

impl CachedAccess {
    fn new(access: Vec<UserStorageAccess>) -> Self {
        CachedAccess { access: Arc::new(access), loaded: Instant::now() }
    }

    fn is_valid(&self, ttl: Duration) -> bool {
        self.loaded.elapsed() < ttl
    }
}

pub struct StorageMapping<D> {
    cache: DashMap<u32, CachedAccess>,
    connection: D,
    loading: Mutex<()>,
    ttl: Duration,
}

impl<D: MountTable> StorageMapping<D> {
    pub fn new(connection: D, ttl: Duration) -> Self {
        StorageMapping { cache: DashMap::new(), connection, loading: Mutex::new(()), ttl }
    }

    async fn load_storage_mapping(&self, storage: u32) -> Result<CachedAccess, DatabaseError> {
        let access = self.connection.mounts_for(storage).await?;
        tracing::debug!(storage, users = access.len(), "storage mapping loaded");
        Ok(CachedAccess::new(access))
    }

    async fn get_storage_mapping(
        &self,
        storage: u32,
    ) -> Result<Arc<Vec<UserStorageAccess>>, DatabaseError> {
        let cached = self.cache.get(&storage).map(|hit| hit.value().clone());
        match &cached {
            Some(hit) if hit.is_valid(self.ttl) => return Ok(hit.access.clone()),
            _ => {}
        }
        let _loading = self.loading.lock().await;
        let fresh = self.load_storage_mapping(storage).await?;
        let access = fresh.access.clone();
        self.cache.insert(storage, fresh);
        Ok(access)
    }

    pub async fn get_users_for_storage_path(
        &self,
        storage: u32,
        path: &str,
    ) -> Result<Vec<String>, DatabaseError> {
        let access = self.get_storage_mapping(storage).await?;
        Ok(access
            .iter()
            .filter(|entry| path.starts_with(entry.root.as_str()))
            .map(|entry| entry.user.clone())
            .collect())
    }

    pub fn cached_storages(&self) -> usize {
        self.cache.len()
    }
}

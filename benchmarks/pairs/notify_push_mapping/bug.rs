// nextcloud/notify_push, issue #739: get_storage_mapping keeps the DashMap guard of an expired entry while it awaits the database query; tasks that insert into the same shard block their worker threads on its write lock, and once all workers are blocked nobody polls the query whose end would release the guard.
use async_trait::async_trait;
use dashmap::DashMap;
use std::collections::hash_map::DefaultHasher;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast;
use tracing::{debug, error};

pub type UserId = String;

#[derive(Debug)]
pub enum DatabaseError { Query(String) }

#[derive(Debug, Clone)]
pub struct UserStorageAccess { pub user: UserId, pub root_hash: u64 }

#[derive(Clone)]
struct CachedAccess { access: Arc<Vec<UserStorageAccess>>, valid_till: Instant }

impl CachedAccess {
    fn new(access: Vec<UserStorageAccess>) -> Self {
        Self { access: Arc::new(access), valid_till: Instant::now() + Duration::from_secs(5 * 60) }
    }

    fn is_valid(&self) -> bool {
        self.valid_till > Instant::now()
    }
}

#[async_trait]
pub trait Connection: Send + Sync + 'static {
    async fn fetch_all(&self, query: &str) -> Result<Vec<UserStorageAccess>, DatabaseError>;
}

fn path_hash(path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

pub struct StorageMapping {
    cache: DashMap<u32, CachedAccess>,
    connection: Arc<dyn Connection>,
    prefix: String,
    mapping_queries: AtomicUsize,
}

impl StorageMapping {
    pub fn new(connection: Arc<dyn Connection>, prefix: String) -> Self {
        Self { cache: DashMap::new(), connection, prefix, mapping_queries: AtomicUsize::new(0) }
    }

    async fn get_storage_mapping(&self, storage: u32) -> Result<Arc<Vec<UserStorageAccess>>, DatabaseError> {
        let cached = self.cache.get(&storage); //~
        if let Some(cached) = cached.as_ref().filter(|cached| cached.is_valid()) {
            return Ok(cached.access.clone());
        }
        let users = self.load_storage_mapping(storage).await?; //~
        drop(cached);
        let loaded = CachedAccess::new(users);
        self.cache.insert(storage, loaded.clone()); //~
        Ok(loaded.access)
    }

    /// The users that can see the path: those with access to one of its parents.
    pub async fn get_users_for_storage_path(&self, storage: u32, path: &str) -> Result<Vec<UserId>, DatabaseError> {
        let mut parents = HashSet::from([path_hash("")]);
        let mut current_path = String::new();
        for name in path.split('/') {
            if !current_path.is_empty() {
                current_path.push('/');
            }
            current_path.push_str(name);
            parents.insert(path_hash(&current_path));
        }
        let access = self.get_storage_mapping(storage).await?;
        Ok(access.iter().filter(|a| parents.contains(&a.root_hash)).map(|a| a.user.clone()).collect())
    }

    async fn load_storage_mapping(&self, storage: u32) -> Result<Vec<UserStorageAccess>, DatabaseError> {
        debug!("querying storage mapping for {storage}");
        let query = format!(
            "SELECT user_id, path_hash FROM {prefix}mounts INNER JOIN {prefix}filecache ON root_id = fileid WHERE storage_id = {storage}",
            prefix = self.prefix,
        );
        let users = self.connection.fetch_all(&query).await?;
        self.mapping_queries.fetch_add(1, Ordering::Relaxed);
        Ok(users)
    }

    pub fn mapping_queries(&self) -> usize {
        self.mapping_queries.load(Ordering::Relaxed)
    }
}

#[derive(Clone, Debug)]
pub struct StorageUpdate { pub storage: u32, pub path: String }

/// Handles one redis event; the caller spawns a task for each.
pub async fn handle_event(mapping: Arc<StorageMapping>, event: StorageUpdate, notifications: broadcast::Sender<UserId>) {
    match mapping.get_users_for_storage_path(event.storage, &event.path).await {
        Ok(users) => {
            for user in users {
                let _ = notifications.send(user);
            }
        }
        Err(e) => error!("{e:?}"),
    }
}

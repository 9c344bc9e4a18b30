// databend, issue #5577: reload_config updates the fields that depend on the config one by one, with awaits in between; a query that is planned meanwhile gets the storage operator of the new config and the cache (or user api) of the old one.
use anyhow::{Context, Result};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tracing::info;

#[derive(Clone, Debug, Default)]
pub struct Config { pub tenant_id: String, pub storage_root: String, pub cache_dir: PathBuf, pub meta_address: String }

impl Config {
    pub fn parse(text: &str) -> Config {
        let kv: HashMap<&str, &str> = text.lines().filter_map(|l| l.split_once('=')).collect();
        let get = |key: &str| kv.get(key).map(|v| v.trim().to_string()).unwrap_or_default();
        Config { tenant_id: get("tenant_id"), storage_root: get("storage.root"), cache_dir: get("cache.dir").into(), meta_address: get("meta.address") }
    }
}

pub struct StorageOperator { pub root: String }
pub struct StorageCacheManager { pub dir: PathBuf, pub tenant_id: String }
pub struct UserApiProvider { pub tenant_id: String, pub meta_address: String }

impl StorageCacheManager {
    pub async fn init(conf: &Config) -> Result<Arc<Self>> {
        tokio::fs::create_dir_all(&conf.cache_dir).await.context("cache dir")?;
        Ok(Arc::new(Self { dir: conf.cache_dir.clone(), tenant_id: conf.tenant_id.clone() }))
    }
}

impl UserApiProvider {
    pub async fn create_global(conf: &Config) -> Result<Arc<Self>> {
        let mut meta = TcpStream::connect(&conf.meta_address).await.context("meta service")?;
        meta.write_all(conf.tenant_id.as_bytes()).await?;
        Ok(Arc::new(Self { tenant_id: conf.tenant_id.clone(), meta_address: conf.meta_address.clone() }))
    }
}

/// What one query sees while it runs.
pub struct QueryContext {
    pub id: String,
    pub operator: Arc<StorageOperator>,
    pub cache: Arc<StorageCacheManager>,
    pub user_api: Arc<UserApiProvider>,
}

pub struct SessionManager {
    config_file: PathBuf,
    reloading: tokio::sync::Mutex<()>,
    conf: RwLock<Config>,
    storage_operator: RwLock<Arc<StorageOperator>>,
    storage_cache_manager: RwLock<Arc<StorageCacheManager>>,
    user_api: RwLock<Arc<UserApiProvider>>,
}

impl SessionManager {
    pub async fn from_conf(config_file: PathBuf) -> Result<Arc<SessionManager>> {
        let conf = Config::parse(&tokio::fs::read_to_string(&config_file).await?);
        let cache = StorageCacheManager::init(&conf).await?;
        let user_api = UserApiProvider::create_global(&conf).await?;
        let operator = Arc::new(StorageOperator { root: conf.storage_root.clone() });
        Ok(Arc::new(SessionManager {
            config_file,
            reloading: Default::default(),
            conf: RwLock::new(conf),
            storage_operator: RwLock::new(operator),
            storage_cache_manager: RwLock::new(cache),
            user_api: RwLock::new(user_api),
        }))
    }

    pub fn get_tenant(&self) -> String {
        self.conf.read().tenant_id.clone()
    }

    pub fn create_query_context(&self, id: &str) -> QueryContext {
        QueryContext {
            id: id.to_string(),
            operator: self.storage_operator.read().clone(), //~
            cache: self.storage_cache_manager.read().clone(), //~
            user_api: self.user_api.read().clone(), //~
        }
    }

    pub async fn reload_config(&self) -> Result<()> {
        let _reloading = self.reloading.lock().await;
        let text = tokio::fs::read_to_string(&self.config_file).await?;
        let config = Config::parse(&text);
        *self.conf.write() = config.clone();
        *self.storage_operator.write() = Arc::new(StorageOperator { root: config.storage_root.clone() }); //~
        let cache = StorageCacheManager::init(&config).await?;
        *self.storage_cache_manager.write() = cache; //~
        let user_api = UserApiProvider::create_global(&config).await?;
        *self.user_api.write() = user_api; //~
        info!(tenant = %config.tenant_id, "config reloaded");
        Ok(())
    }
}

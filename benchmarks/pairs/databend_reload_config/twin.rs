// databend, issue #5577: everything that depends on the config is prepared first and then published in one update of one field; a query takes one snapshot of it, so it never mixes two configs (and a failed reload changes nothing).
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

struct Configured {
    conf: Config,
    storage_operator: Arc<StorageOperator>,
    storage_cache_manager: Arc<StorageCacheManager>,
    user_api: Arc<UserApiProvider>,
}

impl Configured {
    async fn prepare(config_file: &PathBuf) -> Result<Arc<Configured>> {
        let conf = Config::parse(&tokio::fs::read_to_string(config_file).await?);
        let storage_cache_manager = StorageCacheManager::init(&conf).await?;
        let user_api = UserApiProvider::create_global(&conf).await?;
        let storage_operator = Arc::new(StorageOperator { root: conf.storage_root.clone() });
        Ok(Arc::new(Configured { conf, storage_operator, storage_cache_manager, user_api }))
    }
}

pub struct SessionManager {
    config_file: PathBuf,
    reloading: tokio::sync::Mutex<()>,
    configured: RwLock<Arc<Configured>>,
}

impl SessionManager {
    pub async fn from_conf(config_file: PathBuf) -> Result<Arc<SessionManager>> {
        let configured = RwLock::new(Configured::prepare(&config_file).await?);
        Ok(Arc::new(SessionManager { config_file, reloading: Default::default(), configured }))
    }

    pub fn get_tenant(&self) -> String {
        self.configured.read().conf.tenant_id.clone()
    }

    pub fn create_query_context(&self, id: &str) -> QueryContext {
        let configured = self.configured.read().clone();
        QueryContext {
            id: id.to_string(),
            operator: configured.storage_operator.clone(),
            cache: configured.storage_cache_manager.clone(),
            user_api: configured.user_api.clone(),
        }
    }

    pub async fn reload_config(&self) -> Result<()> {
        let _reloading = self.reloading.lock().await;
        let configured = Configured::prepare(&self.config_file).await?;
        info!(tenant = %configured.conf.tenant_id, "config reloaded");
        *self.configured.write() = configured;
        Ok(())
    }
}

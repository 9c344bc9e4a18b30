// jdx/fnox (PR #343 review): resolve_single looks into the cache under a read lock, resolves the secret, and then overwrites whatever another request has put there meanwhile, orphaning the temp file the other caller was told about.
use async_trait::async_trait;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::RwLock;

#[derive(Debug)]
pub enum ServerError {
    NotFound(String),
    NotAllowed(String),
    Provider(String),
    Io(std::io::Error),
}

impl From<std::io::Error> for ServerError {
    fn from(e: std::io::Error) -> Self {
        ServerError::Io(e)
    }
}

#[derive(Clone, Debug, Default)]
pub struct SecretConfig {
    pub provider: Option<String>,
    pub as_file: bool,
    pub env: bool,
}

#[async_trait]
pub trait Provider: Send + Sync {
    async fn resolve(&self, name: &str, config: &SecretConfig) -> Result<Option<String>, String>;
}

/// A secret that has been written to disk; the path is what the agent gets to see.
pub struct SecretFile {
    path: PathBuf,
}

impl SecretFile {
    async fn create(dir: &Path, name: &str, seq: u64, value: &str) -> std::io::Result<Self> {
        let path = dir.join(format!("{name}.{seq}"));
        tokio::fs::write(&path, value).await?;
        Ok(Self { path })
    }

    fn display(&self) -> String {
        self.path.display().to_string()
    }
}

#[derive(Default)]
struct ResolvedSecrets {
    values: HashMap<String, String>,
    files: Vec<SecretFile>,
}

pub struct McpServer {
    profile_secrets: HashMap<String, SecretConfig>,
    allow: Option<HashSet<String>>,
    provider: Arc<dyn Provider>,
    session_dir: PathBuf,
    next_file: AtomicU64,
    cache: RwLock<ResolvedSecrets>,
}

impl McpServer {
    pub fn new(provider: Arc<dyn Provider>, profile_secrets: HashMap<String, SecretConfig>, session_dir: PathBuf) -> Self {
        Self {
            profile_secrets,
            allow: None,
            provider,
            session_dir,
            next_file: AtomicU64::new(0),
            cache: RwLock::new(ResolvedSecrets::default()),
        }
    }

    pub fn with_allow_list(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.allow = Some(names.into_iter().collect());
        self
    }

    fn config_of(&self, name: &str) -> Result<&SecretConfig, ServerError> {
        if self.allow.as_ref().is_some_and(|allow| !allow.contains(name)) {
            return Err(ServerError::NotAllowed(name.to_owned()));
        }
        self.profile_secrets.get(name).ok_or_else(|| ServerError::NotFound(name.to_owned()))
    }

    async fn resolve_secrets_batch(&self, names: &[&str]) -> Result<HashMap<String, String>, ServerError> {
        let mut found = HashMap::new();
        for name in names {
            let config = self.config_of(name)?;
            if let Some(value) = self.provider.resolve(name, config).await.map_err(ServerError::Provider)? {
                found.insert(name.to_string(), value);
            }
        }
        Ok(found)
    }

    async fn insert_into_cache(&self, name: &str, value: String) -> Result<String, ServerError> {
        let config = self.config_of(name)?;
        let mut cache = self.cache.write().await;
        let shown = if config.as_file {
            let seq = self.next_file.fetch_add(1, Ordering::Relaxed);
            let file = SecretFile::create(&self.session_dir, name, seq, &value).await?;
            let shown = file.display();
            cache.files.push(file);
            shown
        } else {
            value
        };
        cache.values.insert(name.to_owned(), shown.clone()); //~
        Ok(shown)
    }

    async fn cached(&self, name: &str) -> Option<String> {
        self.cache.read().await.values.get(name).cloned() //~
    }

    /// Resolves one secret on demand; secrets with `env = false` are not part of the initial batch.
    async fn resolve_single(&self, name: &str) -> Result<Option<String>, ServerError> {
        if let Some(value) = self.cached(name).await { //~
            return Ok(Some(value));
        }
        let mut resolved = self.resolve_secrets_batch(&[name]).await?;
        match resolved.remove(name) {
            Some(value) => self.insert_into_cache(name, value).await.map(Some), //~
            None => Ok(None),
        }
    }

    pub async fn get_secret(&self, name: &str) -> Result<String, ServerError> {
        self.config_of(name)?;
        self.resolve_single(name).await?.ok_or_else(|| ServerError::NotFound(name.to_owned()))
    }

    pub async fn list_secrets(&self) -> Vec<(String, bool)> {
        let cache = self.cache.read().await;
        self.profile_secrets.keys().map(|name| (name.clone(), cache.values.contains_key(name))).collect()
    }
}

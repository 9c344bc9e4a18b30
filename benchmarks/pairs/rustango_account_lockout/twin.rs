// Repaired as in ujeenet/rustango PR #1260: the cache counts itself, under its write lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use thiserror::Error;
use tokio::sync::RwLock;

#[derive(Debug, Error)]
pub enum CacheError {
    #[error("value of {0} is not a number")]
    NotANumber(String),
    #[error("cache unavailable: {0}")]
    Unavailable(String),
}

#[async_trait]
pub trait Cache: Send + Sync {
    async fn get(&self, key: &str) -> Result<Option<String>, CacheError>;
    async fn set(&self, key: &str, value: &str, ttl: Option<Duration>) -> Result<(), CacheError>;
    async fn incr(&self, key: &str, by: u32, ttl: Option<Duration>) -> Result<u32, CacheError>;

    async fn exists(&self, key: &str) -> Result<bool, CacheError> {
        Ok(self.get(key).await?.is_some())
    }
}

struct Entry {
    value: String,
    expires_at: Option<Instant>,
}

impl Entry {
    fn new(value: String, ttl: Option<Duration>) -> Self {
        Self { value, expires_at: ttl.map(|t| Instant::now() + t) }
    }

    fn is_live(&self) -> bool {
        self.expires_at.map_or(true, |at| Instant::now() < at)
    }
}

#[derive(Default)]
pub struct InMemoryCache {
    entries: RwLock<HashMap<String, Entry>>,
}

#[async_trait]
impl Cache for InMemoryCache {
    async fn get(&self, key: &str) -> Result<Option<String>, CacheError> {
        let entries = self.entries.read().await;
        Ok(entries.get(key).filter(|e| e.is_live()).map(|e| e.value.clone()))
    }

    async fn set(&self, key: &str, value: &str, ttl: Option<Duration>) -> Result<(), CacheError> {
        let entry = Entry::new(value.to_owned(), ttl);
        self.entries.write().await.insert(key.to_owned(), entry);
        Ok(())
    }

    async fn incr(&self, key: &str, by: u32, ttl: Option<Duration>) -> Result<u32, CacheError> {
        let mut entries = self.entries.write().await;
        let current = match entries.get(key).filter(|e| e.is_live()) {
            Some(entry) => number(key, &entry.value)?,
            None => 0,
        };
        let next = current + by;
        entries.insert(key.to_owned(), Entry::new(next.to_string(), ttl));
        Ok(next)
    }
}

fn number(key: &str, value: &str) -> Result<u32, CacheError> {
    value.parse().map_err(|_| CacheError::NotANumber(key.to_owned()))
}

pub struct Lockout {
    cache: Arc<dyn Cache>,
    max_attempts: u32,
    lockout_duration: Duration,
    counter_ttl: Duration,
}

impl Lockout {
    pub fn new(cache: Arc<dyn Cache>, max_attempts: u32) -> Self {
        Self {
            cache,
            max_attempts: max_attempts.max(1),
            lockout_duration: Duration::from_secs(900),
            counter_ttl: Duration::from_secs(3600),
        }
    }

    pub async fn is_locked(&self, account: &str) -> Result<bool, CacheError> {
        self.cache.exists(&Self::lock_key(account)).await
    }

    pub async fn record_failure(&self, account: &str) -> Result<u32, CacheError> {
        let counter_key = Self::counter_key(account);
        let next = self.cache.incr(&counter_key, 1, Some(self.counter_ttl)).await?;
        if next >= self.max_attempts {
            self.force_lock(account).await?;
        }
        Ok(next)
    }

    pub async fn force_lock(&self, account: &str) -> Result<(), CacheError> {
        self.cache.set(&Self::lock_key(account), "1", Some(self.lockout_duration)).await
    }

    fn counter_key(account: &str) -> String {
        format!("lockout:attempts:{account}")
    }

    fn lock_key(account: &str) -> String {
        format!("lockout:locked:{account}")
    }
}

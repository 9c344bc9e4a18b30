// api7/adc (backend-apisix-standalone), PR #559: `get_live` sees an expired entry, lets go of it and removes the key, so a fresh entry that `store` put there in between is thrown away.
use dashmap::DashMap;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

#[derive(Clone, Debug, Default)]
pub struct CachedEntry {
    pub config: Value,
    pub raw_config: Value,
    updated_at: Option<Instant>,
}

impl CachedEntry {
    fn is_expired(&self, ttl: Duration) -> bool {
        self.updated_at.is_none_or(|at| at.elapsed() > ttl)
    }
}

/// The configuration last pushed to each standalone gateway, by cache key.
pub struct Cache {
    entries: DashMap<String, CachedEntry>,
    ttl: Duration,
}

impl Cache {
    pub fn new(ttl: Duration) -> Self {
        Self { entries: DashMap::new(), ttl }
    }

    pub fn global() -> &'static Arc<Cache> {
        static GLOBAL: OnceLock<Arc<Cache>> = OnceLock::new();
        GLOBAL.get_or_init(|| {
            let cache = Arc::new(Cache::new(Duration::from_secs(3600)));
            tokio::spawn(Self::sweep(cache.clone(), Duration::from_secs(60)));
            cache
        })
    }

    fn get_live(&self, key: &str) -> Option<CachedEntry> {
        let entry = self.entries.get(key)?; //~
        if entry.is_expired(self.ttl) {
            drop(entry);
            self.entries.remove(key); //~
            return None;
        }
        Some(entry.clone())
    }

    pub fn config(&self, key: &str) -> Option<Value> {
        self.get_live(key).map(|entry| entry.config)
    }

    pub fn raw_config(&self, key: &str) -> Option<Value> {
        self.get_live(key).map(|entry| entry.raw_config)
    }

    /// Called after a dump and after a successful push.
    pub fn store(&self, key: &str, config: Value, raw_config: Value) {
        let entry = CachedEntry { config, raw_config, updated_at: Some(Instant::now()) };
        self.entries.insert(key.to_string(), entry); //~
    }

    pub fn invalidate(&self, key: &str) {
        self.entries.remove(key);
    }

    async fn sweep(cache: Arc<Cache>, every: Duration) {
        let mut interval = tokio::time::interval(every);
        loop {
            interval.tick().await;
            cache.entries.retain(|_, entry| !entry.is_expired(cache.ttl));
        }
    }
}

// solana-foundation/kora (PR #463), repaired: the store has check_and_increment, a single critical section in the in-memory store.
use async_trait::async_trait;
use axum::extract::{Json, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::Router;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub enum KoraError {
    UsageLimitExceeded(String),
    Internal(String),
}

impl IntoResponse for KoraError {
    fn into_response(self) -> Response {
        match self {
            KoraError::UsageLimitExceeded(wallet) => {
                (StatusCode::TOO_MANY_REQUESTS, format!("usage limit exceeded for {wallet}")).into_response()
            }
            KoraError::Internal(e) => (StatusCode::INTERNAL_SERVER_ERROR, e).into_response(),
        }
    }
}

#[async_trait]
pub trait UsageStore: Send + Sync {
    async fn get(&self, key: &str) -> Result<u64, KoraError>;
    /// Counts `amount` towards `key` unless that would exceed `max`.
    async fn check_and_increment(&self, key: &str, amount: u64, max: u64, window: Option<Duration>) -> Result<bool, KoraError>;
}

struct UsageEntry {
    count: u64,
    expires_at: Option<Instant>,
}

impl UsageEntry {
    fn is_expired(&self) -> bool {
        self.expires_at.is_some_and(|at| Instant::now() >= at)
    }
}

#[derive(Default)]
pub struct InMemoryUsageStore {
    data: Mutex<HashMap<String, UsageEntry>>,
}

impl InMemoryUsageStore {
    fn with_data<R>(&self, f: impl FnOnce(&mut HashMap<String, UsageEntry>) -> R) -> Result<R, KoraError> {
        let mut data = self.data.lock().map_err(|e| KoraError::Internal(e.to_string()))?;
        Ok(f(&mut data))
    }
}

#[async_trait]
impl UsageStore for InMemoryUsageStore {
    async fn get(&self, key: &str) -> Result<u64, KoraError> {
        self.with_data(|data| data.get(key).filter(|e| !e.is_expired()).map_or(0, |e| e.count))
    }

    async fn check_and_increment(&self, key: &str, amount: u64, max: u64, window: Option<Duration>) -> Result<bool, KoraError> {
        self.with_data(|data| {
            let fresh = || UsageEntry { count: 0, expires_at: window.map(|w| Instant::now() + w) };
            let entry = data.entry(key.to_owned()).or_insert_with(fresh);
            if entry.is_expired() {
                *entry = fresh();
            }
            if entry.count + amount > max {
                return false;
            }
            entry.count += amount;
            true
        })
    }
}

#[derive(Clone, Debug)]
pub struct UsageRule {
    pub name: &'static str,
    pub max: u64,
    pub window: Option<Duration>,
}

pub struct UsageLimiter {
    store: Arc<dyn UsageStore>,
    rules: Vec<UsageRule>,
}

impl UsageLimiter {
    pub fn new(store: Arc<dyn UsageStore>, rules: Vec<UsageRule>) -> Self {
        Self { store, rules }
    }

    fn key(rule: &UsageRule, wallet: &str) -> String {
        format!("kora:{}:{wallet}", rule.name)
    }

    pub async fn check_and_record(&self, wallet: &str) -> Result<(), KoraError> {
        for rule in &self.rules {
            let key = Self::key(rule, wallet);
            if !self.store.check_and_increment(&key, 1, rule.max, rule.window).await? {
                return Err(KoraError::UsageLimitExceeded(wallet.to_owned()));
            }
        }
        Ok(())
    }

    pub async fn usage(&self, wallet: &str) -> Result<Vec<(String, u64)>, KoraError> {
        let mut all = Vec::with_capacity(self.rules.len());
        for rule in &self.rules {
            all.push((rule.name.to_owned(), self.store.get(&Self::key(rule, wallet)).await?));
        }
        Ok(all)
    }
}

async fn sign_transaction(State(limiter): State<Arc<UsageLimiter>>, Json(wallet): Json<String>) -> Result<String, KoraError> {
    limiter.check_and_record(&wallet).await?;
    Ok(format!("signed for {wallet}"))
}

async fn usage(State(limiter): State<Arc<UsageLimiter>>, Json(wallet): Json<String>) -> Result<Json<Vec<(String, u64)>>, KoraError> {
    limiter.usage(&wallet).await.map(Json)
}

pub fn router(limiter: Arc<UsageLimiter>) -> Router {
    Router::new().route("/sign", post(sign_transaction)).route("/usage", get(usage)).with_state(limiter)
}

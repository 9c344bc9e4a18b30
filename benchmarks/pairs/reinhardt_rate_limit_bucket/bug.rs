// kent8192/reinhardt-web PR #1699 (issue #1658): bucket cloned out, tokens taken from the clone, clone written back: limit exceeded.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

pub struct Request {
    pub remote_addr: String,
}

pub struct Response {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
}

#[async_trait]
pub trait Handler: Send + Sync {
    async fn handle(&self, request: Request) -> anyhow::Result<Response>;
}

#[derive(Debug, Clone)]
struct Bucket {
    tokens: f64,
    capacity: f64,
    last_refill: Instant,
    refill_rate: f64,
}

impl Bucket {
    fn new(capacity: f64, refill_rate: f64) -> Self {
        Self { tokens: capacity, capacity, last_refill: Instant::now(), refill_rate }
    }

    fn refill(&mut self) {
        let now = Instant::now();
        let elapsed = now.duration_since(self.last_refill).as_secs_f64();
        self.tokens = (self.tokens + elapsed * self.refill_rate).min(self.capacity);
        self.last_refill = now;
    }

    fn consume(&mut self, tokens: f64) -> bool {
        self.refill();
        if self.tokens < tokens {
            return false;
        }
        self.tokens -= tokens;
        true
    }

    fn time_until_next_token(&self) -> Duration {
        Duration::from_secs_f64((1.0 - self.tokens).max(0.0) / self.refill_rate)
    }
}

#[derive(Default)]
struct RateLimitStore {
    buckets: RwLock<HashMap<String, Bucket>>,
}

impl RateLimitStore {
    fn get_or_create_bucket(&self, key: &str, capacity: f64, refill_rate: f64) -> Bucket {
        let mut buckets = self.buckets.write().unwrap();
        let entry = buckets.entry(key.to_string());
        entry.or_insert_with(|| Bucket::new(capacity, refill_rate)).clone()
    }

    fn update_bucket(&self, key: &str, bucket: Bucket) {
        let mut buckets = self.buckets.write().unwrap();
        buckets.insert(key.to_string(), bucket);
    }
}

pub struct RateLimitConfig {
    pub capacity: f64,
    pub refill_rate: f64,
    pub cost_per_request: f64,
}

pub struct RateLimitMiddleware {
    config: RateLimitConfig,
    store: RateLimitStore,
}

impl RateLimitMiddleware {
    pub fn new(config: RateLimitConfig) -> Self {
        Self { config, store: RateLimitStore::default() }
    }

    fn generate_key(&self, request: &Request) -> String {
        format!("ip:{}", request.remote_addr)
    }

    fn rate_limit_error(&self, retry_after: Duration) -> Response {
        Response { status: 429, headers: vec![("retry-after", retry_after.as_secs().to_string())] }
    }

    pub async fn process(&self, request: Request, handler: Arc<dyn Handler>) -> anyhow::Result<Response> {
        let key = self.generate_key(&request);
        let config = &self.config;
        let mut bucket = self.store.get_or_create_bucket(&key, config.capacity, config.refill_rate);
        if bucket.consume(config.cost_per_request) {
            self.store.update_bucket(&key, bucket.clone());
            let mut response = handler.handle(request).await?;
            response.headers.push(("x-ratelimit-remaining", bucket.tokens.floor().to_string()));
            Ok(response)
        } else {
            Ok(self.rate_limit_error(bucket.time_until_next_token()))
        }
    }
}

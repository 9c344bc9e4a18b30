// kent8192/reinhardt-web, #1658 / PR #1699: the `rate_limit` middleware takes a copy of the bucket, consumes from the copy and writes it back, so concurrent requests consume the same token and pass the limit.
use axum::extract::{Request, State};
use axum::http::{header, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::Router;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::Instant;

#[derive(Clone, Debug)]
pub struct TokenBucket {
    capacity: f64,
    refill_rate: f64,
    tokens: f64,
    last_refill: Instant,
}

impl TokenBucket {
    fn new(config: &RateLimitConfig) -> Self {
        let last_refill = Instant::now();
        Self { capacity: config.capacity, refill_rate: config.refill_rate, tokens: config.capacity, last_refill }
    }

    fn consume(&mut self, cost: f64) -> bool {
        let now = Instant::now();
        let refill = now.duration_since(self.last_refill).as_secs_f64() * self.refill_rate;
        self.tokens = (self.tokens + refill).min(self.capacity);
        self.last_refill = now;
        let enough = self.tokens >= cost;
        if enough {
            self.tokens -= cost;
        }
        enough
    }
}

#[derive(Clone, Debug)]
pub struct RateLimitConfig {
    pub capacity: f64,
    pub refill_rate: f64,
    pub cost_per_request: f64,
}

pub struct RateLimitStore {
    config: RateLimitConfig,
    buckets: RwLock<HashMap<String, TokenBucket>>,
}

impl RateLimitStore {
    pub fn new(config: RateLimitConfig) -> Self {
        Self { config, buckets: RwLock::default() }
    }

    fn get_or_create_bucket(&self, key: &str) -> TokenBucket {
        let mut buckets = self.buckets.write().unwrap();
        buckets.entry(key.to_string()).or_insert_with(|| TokenBucket::new(&self.config)).clone() //~
    }

    fn update_bucket(&self, key: &str, bucket: TokenBucket) {
        self.buckets.write().unwrap().insert(key.to_string(), bucket); //~
    }
}

fn client_key(request: &Request) -> String {
    let forwarded = request.headers().get("x-forwarded-for").and_then(|value| value.to_str().ok());
    forwarded.unwrap_or("unknown").to_string()
}

async fn rate_limit(State(store): State<Arc<RateLimitStore>>, request: Request, next: Next) -> Response {
    let key = client_key(&request);
    let mut bucket = store.get_or_create_bucket(&key);
    if bucket.consume(store.config.cost_per_request) {
        store.update_bucket(&key, bucket);
        return next.run(request).await;
    }
    (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "1")]).into_response()
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let config = RateLimitConfig { capacity: 10.0, refill_rate: 1.0, cost_per_request: 1.0 };
    let store = Arc::new(RateLimitStore::new(config));
    let app = Router::new().route("/", get(|| async { "ok" })).layer(middleware::from_fn_with_state(store, rate_limit));
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:8080").await?, app).await
}

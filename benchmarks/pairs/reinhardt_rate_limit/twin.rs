// As in PR #1699 creation, refill and consumption are one method that holds the write lock from reading the bucket to changing it in place, so each token is handed out once.
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

    fn try_consume(&self, key: &str) -> bool {
        let mut buckets = self.buckets.write().unwrap();
        let bucket = buckets.entry(key.to_string()).or_insert_with(|| TokenBucket::new(&self.config));
        bucket.consume(self.config.cost_per_request)
    }
}

fn client_key(request: &Request) -> String {
    let forwarded = request.headers().get("x-forwarded-for").and_then(|value| value.to_str().ok());
    forwarded.unwrap_or("unknown").to_string()
}

async fn rate_limit(State(store): State<Arc<RateLimitStore>>, request: Request, next: Next) -> Response {
    let key = client_key(&request);
    if store.try_consume(&key) {
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

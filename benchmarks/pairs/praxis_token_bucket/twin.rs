// Repaired as in PR #1173: tokens and last_refill are one TokenBucketState under one mutex, so the refill, the move of last_refill and the taking of the token are one step; an older `now` neither refills nor moves last_refill back.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

struct TokenBucketState {
    tokens: f64,
    last_refill: u64,
}

/// Token bucket for one client.
pub struct TokenBucket {
    state: Mutex<TokenBucketState>,
}

impl TokenBucket {
    pub fn new(burst: f64, now_nanos: u64) -> Self {
        TokenBucket { state: Mutex::new(TokenBucketState { tokens: burst, last_refill: now_nanos }) }
    }

    /// Takes one token if there is one, and tells how many are left then.
    pub fn try_acquire(&self, rate: f64, burst: f64, now_nanos: u64) -> Option<f64> {
        let mut state = self.state.lock().unwrap();
        let elapsed = now_nanos.saturating_sub(state.last_refill) as f64 / 1e9;
        state.tokens = (state.tokens + elapsed * rate).min(burst);
        state.last_refill = state.last_refill.max(now_nanos);
        if state.tokens < 1.0 {
            return None;
        }
        state.tokens -= 1.0;
        Some(state.tokens)
    }

    pub fn current_tokens(&self) -> f64 {
        self.state.lock().unwrap().tokens
    }
}

#[derive(Debug, PartialEq)]
pub enum Decision {
    Allow { remaining: f64 },
    TooManyRequests { retry_after_secs: u64 },
}

/// The filter; one instance serves every worker thread.
pub struct RateLimitFilter {
    rate: f64,
    burst: f64,
    started: Instant,
    buckets: RwLock<HashMap<String, Arc<TokenBucket>>>,
}

impl RateLimitFilter {
    pub fn new(rate: f64, burst: f64) -> Self {
        RateLimitFilter { rate, burst, started: Instant::now(), buckets: RwLock::default() }
    }

    fn now_nanos(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn bucket(&self, client: &str, now: u64) -> Arc<TokenBucket> {
        if let Some(bucket) = self.buckets.read().unwrap().get(client) {
            return bucket.clone();
        }
        let mut buckets = self.buckets.write().unwrap();
        buckets.entry(client.to_string()).or_insert_with(|| Arc::new(TokenBucket::new(self.burst, now))).clone()
    }

    pub fn on_request(&self, client: &str) -> Decision {
        let now = self.now_nanos();
        match self.bucket(client, now).try_acquire(self.rate, self.burst, now) {
            Some(remaining) => Decision::Allow { remaining },
            None => Decision::TooManyRequests { retry_after_secs: (1.0 / self.rate).ceil() as u64 },
        }
    }
}

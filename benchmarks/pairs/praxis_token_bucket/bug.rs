// praxis-proxy/praxis, issue #1116 (repaired by PR #1173): try_acquire works from tokens and last_refill, two atomics, but claims only the tokens by compare-exchange and moves last_refill afterwards; a second caller in between refills for the same elapsed time again and more requests pass than the rate allows.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Instant;

/// Token bucket for one client; tokens are kept as the bits of an `f64`.
pub struct TokenBucket {
    tokens: AtomicU64,
    last_refill: AtomicU64,
}

impl TokenBucket {
    pub fn new(burst: f64, now_nanos: u64) -> Self {
        TokenBucket { tokens: AtomicU64::new(burst.to_bits()), last_refill: AtomicU64::new(now_nanos) }
    }

    /// Takes one token if there is one, and tells how many are left then.
    pub fn try_acquire(&self, rate: f64, burst: f64, now_nanos: u64) -> Option<f64> {
        loop {
            let old_bits = self.tokens.load(Ordering::Acquire);
            let last = self.last_refill.load(Ordering::Acquire); //~
            let elapsed = now_nanos.saturating_sub(last) as f64 / 1e9;
            let available = (f64::from_bits(old_bits) + elapsed * rate).min(burst);
            if available < 1.0 {
                return None;
            }
            let left = available - 1.0;
            if self.tokens.compare_exchange_weak(old_bits, left.to_bits(), Ordering::AcqRel, Ordering::Relaxed).is_ok() { //~
                self.last_refill.fetch_max(now_nanos, Ordering::AcqRel); //~
                return Some(left);
            }
        }
    }

    pub fn current_tokens(&self) -> f64 {
        f64::from_bits(self.tokens.load(Ordering::Acquire))
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

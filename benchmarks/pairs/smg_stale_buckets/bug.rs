// smg-project/smg, review of PR #1397 (tenant rate limits of the gateway): the clean-up collects the keys of stale buckets and removes them afterwards; a request that refreshes and charges such a bucket in between has its charge thrown away, and the tenant starts with a full bucket again.
use dashmap::DashMap;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tracing::debug;

#[derive(Debug, Clone, PartialEq)]
pub struct BucketPolicy {
    pub capacity: f64,
    pub tokens_per_second: f64,
}

#[derive(Debug, PartialEq)]
pub enum Decision {
    Allowed { remaining: f64 },
    Limited { retry_after: Duration },
}

struct BucketState {
    tokens: f64,
    last_refill: Instant,
}

struct TokenBucket {
    policy: BucketPolicy,
    state: Mutex<BucketState>,
}

impl TokenBucket {
    fn full(policy: BucketPolicy, now: Instant) -> Self {
        let state = BucketState { tokens: policy.capacity, last_refill: now };
        Self { policy, state: Mutex::new(state) }
    }

    fn check_and_consume(&self, cost: f64, now: Instant) -> Decision {
        let mut state = self.state.lock(); //~
        let elapsed = now.saturating_duration_since(state.last_refill);
        let refilled = state.tokens + elapsed.as_secs_f64() * self.policy.tokens_per_second;
        state.tokens = refilled.min(self.policy.capacity);
        state.last_refill = now.max(state.last_refill);
        if state.tokens < cost {
            let missing = cost - state.tokens;
            let retry_after = Duration::from_secs_f64(missing / self.policy.tokens_per_second);
            return Decision::Limited { retry_after };
        }
        state.tokens -= cost;
        Decision::Allowed { remaining: state.tokens }
    }

    /// After this long without a request a bucket is full again and need not be kept.
    fn stale_ttl(&self) -> Duration {
        Duration::from_secs_f64(self.policy.capacity / self.policy.tokens_per_second)
    }

    fn is_stale(&self, now: Instant) -> bool {
        let state = self.state.lock(); //~
        now.saturating_duration_since(state.last_refill) > self.stale_ttl()
    }
}

/// The policies of the tenants.
pub trait PolicySource: Send + Sync {
    fn policy_for(&self, tenant: &str) -> Option<BucketPolicy>;
}

pub struct LocalRateLimiter<P> {
    buckets: DashMap<String, TokenBucket>,
    policies: P,
    limited: AtomicU64,
}

impl<P: PolicySource> LocalRateLimiter<P> {
    pub fn new(policies: P) -> Self {
        Self { buckets: DashMap::new(), policies, limited: AtomicU64::new(0) }
    }

    /// Charges the input tokens of a request to its tenant; `None` if the tenant has no limit.
    pub fn check_and_consume(&self, tenant: &str, input_tokens: u32, now: Instant) -> Option<Decision> {
        let decision = match self.buckets.get(tenant) {
            Some(bucket) => Some(bucket.check_and_consume(input_tokens.into(), now)),
            None => None,
        };
        let decision = match decision {
            Some(decision) => decision,
            None => {
                let policy = self.policies.policy_for(tenant)?;
                let bucket =
                    self.buckets.entry(tenant.to_owned()).or_insert_with(|| TokenBucket::full(policy, now));
                bucket.check_and_consume(input_tokens.into(), now)
            }
        };
        if let Decision::Limited { .. } = &decision {
            self.limited.fetch_add(1, Ordering::Relaxed);
        }
        Some(decision)
    }

    /// Called by the clean-up task from time to time.
    pub fn evict_stale(&self, now: Instant) -> usize {
        let stale_keys: Vec<String> = self
            .buckets
            .iter()
            .filter(|entry| entry.value().is_stale(now))
            .map(|entry| entry.key().clone())
            .collect();
        let mut evicted = 0;
        for key in stale_keys {
            if self.buckets.remove(&key).is_some() { //~
                evicted += 1;
            }
        }
        debug!(evicted, "stale buckets evicted");
        evicted
    }

    pub fn limited(&self) -> u64 {
        self.limited.load(Ordering::Relaxed)
    }
}

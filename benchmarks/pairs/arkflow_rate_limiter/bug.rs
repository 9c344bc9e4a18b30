// arkflow-rs/arkflow (PR #1165 review): refill_tokens loads the tokens, computes the new number and stores it; a request that takes a token in between has its decrement overwritten and the limit is exceeded.
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Clone, Debug)]
pub struct RateLimitConfig {
    pub requests_per_second: u32,
    pub burst_size: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub enum RateLimitError {
    Exceeded { retry_after_ms: u64 },
    UnknownInput(String),
}

impl fmt::Display for RateLimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RateLimitError::Exceeded { retry_after_ms } => write!(f, "rate limit exceeded, retry in {retry_after_ms} ms"),
            RateLimitError::UnknownInput(name) => write!(f, "no limiter for input {name}"),
        }
    }
}

impl std::error::Error for RateLimitError {}

pub trait Clock: Send + Sync {
    fn now_ms(&self) -> u64;
}

pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
    }
}

struct RateLimiterState {
    tokens: AtomicU32,
    last_update: AtomicU64,
}

pub struct SimpleRateLimiter<C = SystemClock> {
    config: RateLimitConfig,
    state: Arc<RateLimiterState>,
    clock: C,
}

impl<C: Clock> SimpleRateLimiter<C> {
    pub fn new(config: RateLimitConfig, clock: C) -> Self {
        let state = RateLimiterState {
            tokens: AtomicU32::new(config.burst_size),
            last_update: AtomicU64::new(clock.now_ms()),
        };
        Self { config, state: Arc::new(state), clock }
    }

    fn refill_tokens(&self) {
        let now = self.clock.now_ms();
        let last = self.state.last_update.load(Ordering::Relaxed);
        let elapsed = now.saturating_sub(last) as f64 / 1000.0;
        let tokens_to_add = (elapsed * self.config.requests_per_second as f64) as u32;
        if tokens_to_add == 0 {
            return;
        }
        let current = self.state.tokens.load(Ordering::Relaxed); //~
        let new_tokens = current.saturating_add(tokens_to_add).min(self.config.burst_size);
        self.state.tokens.store(new_tokens, Ordering::Relaxed); //~
        self.state.last_update.store(now, Ordering::Relaxed);
    }

    fn take(&self) -> bool {
        self.state
            .tokens
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |tokens| tokens.checked_sub(1)) //~
            .is_ok()
    }

    pub fn check(&self) -> Result<(), RateLimitError> {
        self.refill_tokens();
        if self.take() {
            Ok(())
        } else {
            Err(RateLimitError::Exceeded { retry_after_ms: self.retry_after() })
        }
    }

    pub fn available(&self) -> u32 {
        self.state.tokens.load(Ordering::Relaxed)
    }

    fn retry_after(&self) -> u64 {
        1000 / u64::from(self.config.requests_per_second.max(1))
    }
}

/// One limiter per input of a stream.
#[derive(Default)]
pub struct RateLimiters {
    by_input: RwLock<HashMap<String, Arc<SimpleRateLimiter>>>,
}

impl RateLimiters {
    pub fn configure(&self, input: &str, config: RateLimitConfig) {
        let limiter = Arc::new(SimpleRateLimiter::new(config, SystemClock));
        self.by_input.write().unwrap().insert(input.to_owned(), limiter);
    }

    pub fn check(&self, input: &str) -> Result<(), RateLimitError> {
        let limiter = self.by_input.read().unwrap().get(input).cloned();
        limiter.ok_or_else(|| RateLimitError::UnknownInput(input.to_owned()))?.check()
    }
}

// arkflow-rs/arkflow (PR #1165 review), repaired: tokens and the time of the last refill are one state behind a mutex.
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, RwLock};
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
    tokens: u32,
    last_update: u64,
}

pub struct SimpleRateLimiter<C = SystemClock> {
    config: RateLimitConfig,
    state: Arc<Mutex<RateLimiterState>>,
    clock: C,
}

impl<C: Clock> SimpleRateLimiter<C> {
    pub fn new(config: RateLimitConfig, clock: C) -> Self {
        let state = RateLimiterState {
            tokens: config.burst_size,
            last_update: clock.now_ms(),
        };
        Self { config, state: Arc::new(Mutex::new(state)), clock }
    }

    fn refill_tokens(&self, state: &mut RateLimiterState) {
        let now = self.clock.now_ms();
        let elapsed = now.saturating_sub(state.last_update) as f64 / 1000.0;
        let tokens_to_add = (elapsed * self.config.requests_per_second as f64) as u32;
        if tokens_to_add == 0 {
            return;
        }
        state.tokens = state.tokens.saturating_add(tokens_to_add).min(self.config.burst_size);
        state.last_update = now;
    }

    pub fn check(&self) -> Result<(), RateLimitError> {
        let mut state = self.state.lock().unwrap();
        self.refill_tokens(&mut state);
        match state.tokens.checked_sub(1) {
            Some(left) => {
                state.tokens = left;
                Ok(())
            }
            None => Err(RateLimitError::Exceeded { retry_after_ms: self.retry_after() }),
        }
    }

    pub fn available(&self) -> u32 {
        self.state.lock().unwrap().tokens
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

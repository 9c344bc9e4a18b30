//! A token bucket.

use std::sync::Mutex;
use std::time::Instant;

struct Bucket {
    tokens: f64,
    filled: Instant,
}

pub struct Limiter {
    per_second: f64,
    burst: f64,
    bucket: Mutex<Bucket>,
}

impl Limiter {
    pub fn new(per_second: f64, burst: f64) -> Self {
        let bucket = Bucket { tokens: burst, filled: Instant::now() };
        Limiter { per_second, burst, bucket: Mutex::new(bucket) }
    }

    /// Takes a token, if there is one.
    pub fn allow(&self) -> bool {
        let mut bucket = self.bucket.lock().unwrap();
        let now = Instant::now();
        let earned = now.duration_since(bucket.filled).as_secs_f64() * self.per_second;
        bucket.tokens = (bucket.tokens + earned).min(self.burst);
        bucket.filled = now;
        let allowed = bucket.tokens >= 1.0;
        if allowed {
            bucket.tokens -= 1.0;
        }
        allowed
    }
}

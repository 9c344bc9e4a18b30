// twitter/rustcommon PR #64 (ratelimiter): the refill and the taking of a token are each one compare-exchange of `available`,
// computed from the very value it replaces; no token is given back or handed out twice.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const SECOND: u64 = 1_000_000_000;

/// A token bucket ratelimiter
pub struct Ratelimiter {
    available: AtomicU64,
    capacity: u64,
    quantum: u64,
    tick: AtomicU64,
    next: AtomicU64,
    epoch: Instant,
}

impl Ratelimiter {
    /// Create a new token bucket `Ratelimiter` which can hold up to `capacity`
    /// tokens. `quantum` tokens will be added to the bucket at `rate` times
    /// per second. The token bucket initially starts without any tokens, this
    /// ensures the rate does not start high initially.
    pub fn new(capacity: u64, quantum: u64, rate: u64) -> Self {
        Self {
            available: AtomicU64::default(),
            capacity,
            quantum,
            tick: AtomicU64::new(SECOND / (rate / quantum)),
            next: AtomicU64::new(0),
            epoch: Instant::now(),
        }
    }

    /// Changes the rate of the `Ratelimiter`. The new rate will be in effect on
    /// the next tick.
    pub fn set_rate(&self, rate: u64) {
        self.tick.store(SECOND / (rate / self.quantum), Ordering::Relaxed);
    }

    /// Returns the current rate
    pub fn rate(&self) -> u64 {
        SECOND * self.quantum / self.tick.load(Ordering::Relaxed)
    }

    // internal function to move the time forward
    fn tick(&self) {
        let now = self.epoch.elapsed().as_nanos() as u64;
        let next = self.next.load(Ordering::Relaxed);
        if now >= next {
            let tick = self.tick.load(Ordering::Relaxed);
            if self
                .next
                .compare_exchange(next, next + tick, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
            {
                let _ = self.available.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |available| {
                    Some((available + self.quantum).min(self.capacity))
                });
            }
        }
    }

    /// Non-blocking wait for one token, returns an `Ok` if a token was
    /// successfully acquired, returns an `Err` if it would block.
    pub fn try_wait(&self) -> Result<(), std::io::Error> {
        self.tick();
        let taken = self
            .available
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |available| available.checked_sub(1));
        if taken.is_ok() {
            Ok(())
        } else {
            Err(std::io::Error::new(std::io::ErrorKind::WouldBlock, "no tokens in bucket"))
        }
    }

    /// Blocking wait implemented as a busy loop. Returns only after a token is
    /// successfully acquired
    pub fn wait(&self) {
        while self.try_wait().is_err() {
            std::hint::spin_loop();
        }
    }
}

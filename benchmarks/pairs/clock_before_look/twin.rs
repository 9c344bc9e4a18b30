// The clock is read after the time of the last reset, and so is never behind it.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

pub struct Rate {
    start: Instant,
    seen: AtomicU64,
    last_reset: AtomicU64,
    interval: u64,
}

impl Rate {
    pub fn new(interval: u64) -> Self {
        Rate { start: Instant::now(), seen: AtomicU64::new(0), last_reset: AtomicU64::new(0), interval }
    }

    /// How many there were in the interval that is over, if one is.
    pub fn observe(&self) -> Option<u64> {
        self.seen.fetch_add(1, Ordering::Relaxed);
        self.claim_reset().then(|| self.seen.swap(0, Ordering::Relaxed))
    }

    fn claim_reset(&self) -> bool {
        let last = self.last_reset.load(Ordering::SeqCst);
        let now = self.start.elapsed().as_millis() as u64;
        let past = now - last;
        if past < self.interval {
            return false;
        }
        self.last_reset.compare_exchange(last, now, Ordering::SeqCst, Ordering::Acquire).is_ok()
    }
}

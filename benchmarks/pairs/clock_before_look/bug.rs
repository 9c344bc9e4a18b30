// pingora-limits 0.9.1, src/rate.rs (`maybe_reset`): the time is taken before the time of the last reset is read: a thread that is held up in
// between finds a later one; the difference wraps (panics in debug builds), so that it resets once more and sets the time back.
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
        let now = self.start.elapsed().as_millis() as u64; //~
        let last = self.last_reset.load(Ordering::SeqCst); //~
        let past = now - last;
        if past < self.interval {
            return false;
        }
        self.last_reset.compare_exchange(last, now, Ordering::SeqCst, Ordering::Acquire).is_ok()
    }
}

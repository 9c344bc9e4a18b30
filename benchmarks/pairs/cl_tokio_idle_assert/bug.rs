// tokio 1.49 (fixed in 1.50, pull request 7918), src/runtime/blocking/pool.rs: a thread counts itself out and then compares what was there before
// with what is there *now*: another thread that goes idle in between makes the assertion fail.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct Metrics {
    idle: Arc<AtomicUsize>,
}

impl Metrics {
    fn dec_idle(&self) -> usize {
        self.idle.fetch_sub(1, Ordering::Relaxed)
    }
    fn inc_idle(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }
    fn idle(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
    }
}

#[derive(Clone, Default)]
pub struct Pool {
    metrics: Metrics,
}

impl Pool {
    pub fn thread_idle(&self) {
        self.metrics.inc_idle();
    }

    pub fn thread_exit(&self) {
        let before = self.metrics.dec_idle();
        assert!(before >= self.metrics.idle(), "idle threads underflowed");
    }
}

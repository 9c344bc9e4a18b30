// tokio 1.50: only the answer of the change is looked at.
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
    pub fn idle(&self) -> usize {
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
        assert_ne!(before, 0, "idle threads underflowed");
    }
}

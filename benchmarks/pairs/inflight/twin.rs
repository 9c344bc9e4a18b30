//! Looked at and raised in one step.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
pub struct Limiter { active: AtomicUsize, limit: usize }
pub struct Permit { limiter: Arc<Limiter> }
impl Limiter {
    pub fn new(limit: usize) -> Arc<Self> { Arc::new(Limiter { active: AtomicUsize::new(0), limit }) }
    pub fn try_enter(self: &Arc<Self>) -> Option<Permit> {
        self.active
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |active| (active < self.limit).then_some(active + 1))
            .ok()
            .map(|_| Permit { limiter: Arc::clone(self) })
    }
}
impl Drop for Permit {
    fn drop(&mut self) { self.limiter.active.fetch_sub(1, Ordering::AcqRel); }
}

//! The limit is looked at, then the count is raised: more than the limit get in.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
pub struct Limiter { active: AtomicUsize, limit: usize }
pub struct Permit { limiter: Arc<Limiter> }
impl Limiter {
    pub fn new(limit: usize) -> Arc<Self> { Arc::new(Limiter { active: AtomicUsize::new(0), limit }) }
    pub fn try_enter(self: &Arc<Self>) -> Option<Permit> {
        let active = self.active.load(Ordering::Acquire); //~
        (active < self.limit).then(|| {
            self.active.fetch_add(1, Ordering::AcqRel); //~
            Permit { limiter: Arc::clone(self) }
        })
    }
}
impl Drop for Permit {
    fn drop(&mut self) { self.limiter.active.fetch_sub(1, Ordering::AcqRel); }
}

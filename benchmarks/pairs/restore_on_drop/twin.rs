//! It takes back what it added.
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;
#[derive(Clone, Default)]
pub struct Verbosity { level: Arc<AtomicI32> }
pub struct Louder { level: Arc<AtomicI32>, before: i32 }
impl Verbosity {
    pub fn louder(&self) -> Louder {
        let before = self.level.fetch_add(1, Ordering::SeqCst);
        Louder { level: self.level.clone(), before }
    }
    pub fn shows(&self, level: i32) -> bool { self.level.load(Ordering::SeqCst) >= level }
}
impl Louder { pub fn with<T>(self, work: impl FnOnce() -> T) -> T { let t = work(); drop(self); t } }
impl Drop for Louder {
    fn drop(&mut self) {
        let _ = self.before;
        self.level.fetch_sub(1, Ordering::SeqCst);
    }
}
pub fn verbosely<T>(v: &Verbosity, work: impl FnOnce() -> T) -> T { let louder = v.louder(); louder.with(work) }

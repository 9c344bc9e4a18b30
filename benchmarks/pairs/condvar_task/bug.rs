//! Tasks wait at a condition variable.
use std::sync::{Arc, Condvar, Mutex};
#[derive(Clone, Default)]
pub struct Latch { inner: Arc<(Mutex<usize>, Condvar)> }
impl Latch {
    pub fn arrive(&self) { *self.inner.0.lock().unwrap() += 1; self.inner.1.notify_all(); }
    fn wait_for(&self, n: usize) {
        let guard = self.inner.0.lock().unwrap();
        drop(self.inner.1.wait_while(guard, |arrived| *arrived < n).unwrap()); //~
    }
}
pub fn when_all_arrived(latch: &Latch, n: usize, then: impl FnOnce() + Send + 'static) {
    let latch = latch.clone();
    tokio::spawn(async move { latch.wait_for(n); then() });
}


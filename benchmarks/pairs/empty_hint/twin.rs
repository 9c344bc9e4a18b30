//! The hint is set under the lock that is pushed and popped under. An old hint does no harm: what there is is looked at under the lock.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;

#[derive(Default)]
pub struct Jobs {
    waiting: Mutex<Vec<u32>>,
    empty: AtomicBool,
}

impl Jobs {
    pub fn push(&self, job: u32) {
        let mut waiting = self.waiting.lock().unwrap();
        waiting.push(job);
        self.empty.store(false, Ordering::SeqCst);
    }
    pub fn pop(&self) -> Option<u32> {
        if self.empty.load(Ordering::SeqCst) {
            return None;
        }
        let mut waiting = self.waiting.lock().unwrap();
        let job = waiting.pop();
        self.empty.store(waiting.is_empty(), Ordering::SeqCst);
        job
    }
}

//! A hint that there is nothing spares the lock; it is set after the lock was given back: a job that is pushed in between is there, and the hint says that nothing is, until another one is pushed.
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
        waiting.push(job); //~
        self.empty.store(false, Ordering::SeqCst); //~
    }
    pub fn pop(&self) -> Option<u32> {
        if self.empty.load(Ordering::SeqCst) {
            return None;
        }
        let mut waiting = self.waiting.lock().unwrap();
        let job = waiting.pop();
        let empty = waiting.is_empty(); //~
        drop(waiting);
        self.empty.store(empty, Ordering::SeqCst); //~
        job
    }
}

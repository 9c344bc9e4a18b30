//! A notification that wakes everyone who waits at the time of the call.

use std::sync::Mutex;
use std::thread::{self, Thread};

#[derive(Default)]
pub struct Notify {
    waiters: Mutex<Vec<Thread>>,
}

impl Notify {
    /// Queues the calling thread; it parks afterwards.
    pub fn register(&self) {
        self.waiters.lock().unwrap().push(thread::current());
    }

    /// Wakes all queued threads, without holding the lock while it wakes one.
    pub fn notify_waiters(&self) {
        let all = std::mem::take(&mut *self.waiters.lock().unwrap());
        for waiter in all {
            waiter.unpark();
        }
    }
}

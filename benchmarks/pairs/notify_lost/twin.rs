//! Listens, and then looks.
use std::sync::Mutex;
use std::collections::VecDeque;
use tokio::sync::Notify;
pub struct Jobs<T> { queue: Mutex<VecDeque<T>>, added: Notify }
impl<T> Jobs<T> {
    pub fn new() -> Self { Jobs { queue: Mutex::new(VecDeque::new()), added: Notify::new() } }
    pub fn add(&self, job: T) {
        self.queue.lock().unwrap().push_back(job);
        self.added.notify_waiters();
    }
    fn try_next(&self) -> Option<T> { self.queue.lock().unwrap().pop_front() }
    pub async fn next(&self) -> T {
        loop {
            let added = self.added.notified();
            if let Some(job) = self.try_next() { return job; }
            added.await;
        }
    }
}
pub fn jobs() -> Jobs<String> { Jobs::new() }

//! Who waits subscribes first and looks again after each message. The message comes after the lock and says nothing: told twice, or while there is a job again, it does no harm.
use std::collections::VecDeque;
use std::sync::Mutex;
use tokio::sync::watch;

pub struct Jobs {
    waiting: Mutex<VecDeque<u64>>,
    emptied: watch::Sender<()>,
}

impl Jobs {
    pub fn new() -> Self {
        Self { waiting: Mutex::new(VecDeque::new()), emptied: watch::channel(()).0 }
    }
    pub fn push(&self, job: u64) {
        self.waiting.lock().unwrap().push_back(job);
    }
    pub fn pop(&self) -> Option<u64> {
        let mut waiting = self.waiting.lock().unwrap();
        let job = waiting.pop_front();
        let empty = waiting.is_empty();
        drop(waiting);
        if empty {
            self.emptied.send_replace(());
        }
        job
    }
    pub fn is_empty(&self) -> bool {
        self.waiting.lock().unwrap().is_empty()
    }
    pub async fn wait_empty(&self) {
        let mut told = self.emptied.subscribe();
        while !self.is_empty() {
            if told.changed().await.is_err() {
                return;
            }
        }
    }
}

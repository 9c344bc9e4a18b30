//! Whether there are jobs left is looked at, and only then the watch is subscribed to: the last `pop` and its message in between are lost, and who waits does so for good.
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
        let job = waiting.pop_front(); //~
        if waiting.is_empty() {
            self.emptied.send_replace(()); //~
        }
        job
    }
    pub fn is_empty(&self) -> bool {
        self.waiting.lock().unwrap().is_empty() //~
    }
    pub async fn wait_empty(&self) {
        if self.is_empty() {
            return;
        }
        self.emptied.subscribe().changed().await.ok(); //~
    }
}

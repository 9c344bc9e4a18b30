//! What an `async fn` is given, and nobody changes, stays as it is, as it does in any other function.

use std::collections::VecDeque;
use std::sync::Mutex;

pub struct Queue {
    last_first: bool,
    items: Mutex<VecDeque<u32>>,
}

impl Queue {
    /// It is one kind of queue or the other.
    pub async fn look(&self) {
        let mut count = 0;
        if self.last_first {
            count = self.items.lock().unwrap().len();
        }
        tokio::task::yield_now().await;
        if !self.last_first && count == 0 {
            self.items.lock().unwrap().push_back(1);
        }
    }

    pub async fn put(&self, item: u32) {
        self.items.lock().unwrap().push_back(item);
    }
}

/// What it goes by is asked of nobody: it is looked at in both cases.
pub struct Both {
    items: Mutex<VecDeque<u32>>,
}

impl Both {
    pub async fn look(&self, last_first: bool) {
        let count = self.items.lock().unwrap().len(); //~
        tokio::task::yield_now().await;
        if !last_first && count == 0 {
            self.items.lock().unwrap().push_back(1); //~
        }
    }

    pub async fn put(&self, item: u32) {
        self.items.lock().unwrap().push_back(item);
    }
}

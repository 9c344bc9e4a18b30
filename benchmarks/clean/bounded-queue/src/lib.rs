//! A queue of limited length.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

pub struct Queue<T> {
    limit: usize,
    items: Mutex<VecDeque<T>>,
    not_empty: Condvar,
    not_full: Condvar,
}

impl<T> Queue<T> {
    pub fn new(limit: usize) -> Self {
        Queue { limit, items: Mutex::default(), not_empty: Condvar::new(), not_full: Condvar::new() }
    }

    pub fn push(&self, item: T) {
        let mut items = self.items.lock().unwrap();
        while items.len() >= self.limit {
            items = self.not_full.wait(items).unwrap();
        }
        items.push_back(item);
        self.not_empty.notify_one();
    }

    pub fn pop(&self) -> T {
        let mut items = self.items.lock().unwrap();
        loop {
            match items.pop_front() {
                Some(item) => {
                    self.not_full.notify_one();
                    return item;
                }
                None => items = self.not_empty.wait(items).unwrap(),
            }
        }
    }
}

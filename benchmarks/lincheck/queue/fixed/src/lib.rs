//! The size is that of what is there.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

#[derive(Default)]
pub struct Queue {
    items: Mutex<VecDeque<u64>>,
    size: AtomicI64,
}

impl Queue {
    pub fn put(&self, item: u64) {
        let mut items = self.items.lock().unwrap();
        items.push_back(item);
        self.size.fetch_add(1, SeqCst);
    }

    pub fn take(&self) -> Option<u64> {
        let mut items = self.items.lock().unwrap();
        let item = items.pop_front()?;
        self.size.fetch_sub(1, SeqCst);
        Some(item)
    }

    pub fn size(&self) -> i64 {
        let _items = self.items.lock().unwrap();
        self.size.load(SeqCst)
    }
}

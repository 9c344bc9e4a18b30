//! What is on top is looked at and taken as one.

use std::sync::Mutex;

#[derive(Default)]
pub struct Stack {
    items: Mutex<Vec<u64>>,
}

impl Stack {
    pub fn push(&self, item: u64) {
        self.items.lock().unwrap().push(item);
    }

    pub fn pop(&self) -> Option<u64> {
        self.items.lock().unwrap().pop()
    }
}

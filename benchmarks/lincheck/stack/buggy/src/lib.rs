//! Two calls of `pop` can look at the same top: one item comes twice, and another one is lost.

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
        let top = self.items.lock().unwrap().last().copied();
        self.items.lock().unwrap().pop();
        top
    }
}

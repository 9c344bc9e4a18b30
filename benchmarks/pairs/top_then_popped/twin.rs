//! The top is looked at and popped under one lock.
use std::collections::BinaryHeap;
use std::sync::Mutex;

#[derive(Default)]
pub struct Queue {
    waiting: Mutex<BinaryHeap<u32>>,
}

impl Queue {
    pub fn push(&self, urgency: u32) {
        self.waiting.lock().unwrap().push(urgency);
    }
    pub fn take_urgent(&self) -> Option<u32> {
        let mut waiting = self.waiting.lock().unwrap();
        let top = waiting.peek().copied()?;
        if top > 5 {
            return waiting.pop();
        }
        None
    }
}

//! The top of a heap is looked at under one lock and popped under the next: what is popped is another one, which need not be urgent.
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
        let top = self.waiting.lock().unwrap().peek().copied()?; //~
        if top > 5 {
            return self.waiting.lock().unwrap().pop(); //~
        }
        None
    }
}

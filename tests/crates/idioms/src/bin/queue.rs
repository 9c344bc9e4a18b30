//! A worker's queue: the condition is looked at again whenever the worker was woken.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Queue {
    items: Mutex<VecDeque<u64>>,
    filled: Condvar,
}

impl Queue {
    fn push(&self, item: u64) {
        self.items.lock().unwrap().push_back(item);
        self.filled.notify_one();
    }

    fn pop(&self) -> u64 {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop_front() {
                return item;
            }
            items = self.filled.wait(items).unwrap();
        }
    }
}

fn main() {
    let queue = Arc::new(Queue::default());
    for item in 0..3 {
        let (pushes, pops) = (queue.clone(), queue.clone());
        thread::spawn(move || pushes.push(item));
        thread::spawn(move || println!("{}", pops.pop()));
    }
}

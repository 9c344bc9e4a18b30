//! Wait queues by address, shared by everyone who waits on the same address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Queue;

#[derive(Default)]
pub struct FutexTable {
    queues: Mutex<HashMap<usize, Arc<Queue>>>,
}

impl FutexTable {
    /// The queue of `address`; the caller waits on it.
    pub fn enter(&self, address: usize) -> Arc<Queue> {
        self.queues.lock().unwrap().entry(address).or_default().clone()
    }

    /// The caller is done with the queue; the last one removes it from the table.
    pub fn leave(&self, address: usize, queue: Arc<Queue>) {
        let users = Arc::strong_count(&queue); //~ RACE
        if users <= 2 {
            self.queues.lock().unwrap().remove(&address); //~ RACE
        }
    }
}

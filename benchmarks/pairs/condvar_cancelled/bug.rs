// karyon_core 1.0.4, src/async_util/condvar.rs and async_queue.rs: a receiver that was told is given up while it waits for the mutex again; the item
// stays in the queue, and another receiver that waits is not told.
use std::collections::VecDeque;
use std::pin::pin;
use tokio::sync::{Mutex, Notify};

pub struct Queue<T> {
    queue: Mutex<VecDeque<T>>,
    not_empty: Notify,
}

impl<T> Queue<T> {
    pub fn new() -> Self {
        Queue { queue: Mutex::new(VecDeque::new()), not_empty: Notify::new() }
    }

    pub async fn push(&self, item: T) {
        self.queue.lock().await.push_back(item);
        self.not_empty.notify_one();
    }

    /// Can be given up at any `.await`.
    pub async fn recv(&self) -> T {
        let mut pushed = pin!(self.not_empty.notified());
        loop {
            pushed.as_mut().enable();
            if let Some(item) = self.queue.lock().await.pop_front() { //~
                return item;
            }
            pushed.as_mut().await; //~
            pushed.set(self.not_empty.notified());
        }
    }
}

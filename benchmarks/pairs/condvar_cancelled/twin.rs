// Nothing is awaited between being told and taking the item out (and a `Notified` that is dropped passes on what it was told).
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Mutex;
use tokio::sync::Notify;

pub struct Queue<T> {
    queue: Mutex<VecDeque<T>>,
    not_empty: Notify,
}

impl<T> Queue<T> {
    pub fn new() -> Self {
        Queue { queue: Mutex::new(VecDeque::new()), not_empty: Notify::new() }
    }

    pub fn push(&self, item: T) {
        self.queue.lock().unwrap().push_back(item);
        self.not_empty.notify_one();
    }

    /// Can be given up at any `.await`.
    pub async fn recv(&self) -> T {
        let mut pushed = pin!(self.not_empty.notified());
        loop {
            pushed.as_mut().enable();
            if let Some(item) = self.queue.lock().unwrap().pop_front() {
                return item;
            }
            pushed.as_mut().await;
            pushed.set(self.not_empty.notified());
        }
    }
}

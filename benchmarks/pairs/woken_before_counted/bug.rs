//! Who leaves wakes the one who waits and only then counts down: woken on another thread it finds no place, waits again, and nobody wakes it.
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

pub struct Limit {
    inside: AtomicUsize,
    left: Notify,
    most: usize,
}

impl Limit {
    pub fn new(most: usize) -> Self {
        Self { inside: AtomicUsize::new(0), left: Notify::new(), most }
    }
    fn try_enter(&self) -> bool {
        self.inside.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |inside| (inside < self.most).then_some(inside + 1)).is_ok() //~
    }
    pub async fn enter(&self) {
        loop {
            let left = self.left.notified();
            tokio::pin!(left);
            left.as_mut().enable(); //~
            if self.try_enter() {
                return;
            }
            left.await;
        }
    }
    pub fn leave(&self) {
        self.left.notify_one(); //~
        self.inside.fetch_sub(1, Ordering::SeqCst); //~
    }
}

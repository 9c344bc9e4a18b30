// watchable 1.1.1: "a race condition that could cause a replace operation to be ignored if it happened during a short region of next_value".
use parking_lot::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

struct Data<T> { value: RwLock<T>, version: AtomicUsize }

#[derive(Clone)]
pub struct Watchable<T> { data: Arc<Data<T>> }
pub struct Watcher<T> { version: usize, watched: Arc<Data<T>> }

impl<T: Clone> Watchable<T> {
    pub fn new(value: T) -> Self { Watchable { data: Arc::new(Data { value: RwLock::new(value), version: AtomicUsize::new(0) }) } }
    pub fn watch(&self) -> Watcher<T> { Watcher { version: self.data.version.load(Ordering::Acquire), watched: self.data.clone() } }
    pub fn replace(&self, value: T) -> T {
        let mut stored = self.data.value.write();
        let old = std::mem::replace(&mut *stored, value);
        self.data.version.fetch_add(1, Ordering::AcqRel);
        old
    }
}

impl<T: Clone> Watcher<T> {
    pub fn is_current(&self) -> bool { self.version == self.watched.version.load(Ordering::Acquire) }
    pub fn next_value(&mut self) -> Option<T> {
        if self.is_current() { return None; }
        let value = self.watched.value.read();
        self.version = self.watched.version.load(Ordering::Acquire);
        Some(value.clone())
    }
}

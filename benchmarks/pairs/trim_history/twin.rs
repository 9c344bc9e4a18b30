// The history is cut to its size; how much is too much must be asked where it is cut.
use std::collections::VecDeque;
use parking_lot::RwLock;

pub struct History<T> { seen: RwLock<VecDeque<T>>, keep: usize }

impl<T: Clone> History<T> {
    pub fn new(keep: usize) -> Self { History { seen: RwLock::new(VecDeque::new()), keep } }
    pub fn add(&self, item: T) {
        self.seen.write().push_back(item);
        self.trim();
    }
    fn trim(&self) {
        if self.seen.read().len() > self.keep {
            let mut seen = self.seen.write();
            while seen.len() > self.keep {
                seen.pop_front();
            }
        }
    }
    pub fn last(&self) -> Option<T> { self.seen.read().back().cloned() }
    pub fn all(&self) -> Vec<T> { self.seen.read().iter().cloned().collect() }
}

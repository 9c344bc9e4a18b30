// cdrs-tokio: "race condition on query id overflow": two that run over start anew both.
use std::sync::atomic::{AtomicI16, Ordering};
use std::sync::Mutex;

pub struct Ids { next: AtomicI16, given: Mutex<Vec<i16>> }

impl Ids {
    pub fn new() -> Self { Ids { next: AtomicI16::new(0), given: Mutex::new(Vec::new()) } }
    pub fn next(&self) -> i16 {
        let id = self.next.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |id| Some(if id == i16::MAX { 0 } else { id + 1 })).unwrap();
        self.given.lock().unwrap().push(id);
        id
    }
    pub fn given(&self) -> usize { self.given.lock().unwrap().len() }
}

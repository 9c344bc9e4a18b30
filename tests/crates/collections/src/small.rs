//! Collections that keep a few elements in place: as those of the standard library.

use std::sync::Mutex;

use smallvec::SmallVec;

#[derive(Default)]
pub struct Desk {
    papers: Mutex<SmallVec<[u64; 4]>>,
    stamps: Mutex<SmallVec<[u64; 4]>>,
}

impl Desk {
    pub fn lay(&self, paper: u64) {
        self.papers.lock().unwrap().push(paper);
        self.stamps.lock().unwrap().push(paper);
    }

    /// Another one takes the last in between.
    pub fn take_if_any(&self) -> Option<u64> {
        if self.papers.lock().unwrap().is_empty() { //~
            return None;
        }
        Some(self.papers.lock().unwrap().pop().unwrap()) //~
    }

    pub fn stamp(&self) -> Option<u64> {
        self.stamps.lock().unwrap().pop()
    }
}

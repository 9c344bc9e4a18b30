// The length of a lock-free queue is kept beside it; room is asked for, then taken.
use crossbeam_queue::SegQueue;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

pub struct Inbox<T> { letters: SegQueue<T>, len: AtomicUsize, room: usize }

impl<T> Inbox<T> {
    pub fn new(room: usize) -> Self { Inbox { letters: SegQueue::new(), len: AtomicUsize::new(0), room } }
    pub fn put(&self, letter: T) -> Result<(), T> {
        if self.len.fetch_update(SeqCst, SeqCst, |len| (len < self.room).then_some(len + 1)).is_err() {
            return Err(letter);
        }
        self.letters.push(letter);
        Ok(())
    }
    pub fn take(&self) -> Option<T> {
        let letter = self.letters.pop()?;
        self.len.fetch_sub(1, SeqCst);
        Some(letter)
    }
}

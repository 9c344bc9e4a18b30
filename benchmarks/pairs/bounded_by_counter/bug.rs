// The length of a lock-free queue is kept beside it; room is asked for, then taken.
use crossbeam_queue::SegQueue;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

pub struct Inbox<T> { letters: SegQueue<T>, len: AtomicUsize, room: usize }

impl<T> Inbox<T> {
    pub fn new(room: usize) -> Self { Inbox { letters: SegQueue::new(), len: AtomicUsize::new(0), room } }
    pub fn put(&self, letter: T) -> Result<(), T> {
        if self.len.load(SeqCst) >= self.room { //~
            return Err(letter);
        }
        self.len.fetch_add(1, SeqCst); //~
        self.letters.push(letter);
        Ok(())
    }
    pub fn take(&self) -> Option<T> {
        let letter = self.letters.pop()?;
        self.len.fetch_sub(1, SeqCst);
        Some(letter)
    }
}

// A mailbox that is closed keeps nothing; the flag beside the lock is asked too early.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Mutex;

#[derive(Debug, PartialEq)]
pub struct Closed;

#[derive(Default)]
pub struct Mailbox<T> { closed: AtomicBool, letters: Mutex<VecDeque<T>> }

impl<T> Mailbox<T> {
    pub fn new() -> Self { Mailbox { closed: AtomicBool::new(false), letters: Mutex::new(VecDeque::new()) } }
    pub fn post(&self, letter: T) -> Result<(), Closed> {
        let mut letters = self.letters.lock().unwrap();
        if self.closed.load(SeqCst) {
            return Err(Closed);
        }
        letters.push_back(letter);
        Ok(())
    }
    pub fn close(&self) -> Vec<T> {
        let mut letters = self.letters.lock().unwrap();
        self.closed.store(true, SeqCst);
        letters.drain(..).collect()
    }
    pub fn next(&self) -> Option<T> { self.letters.lock().unwrap().pop_front() }
}

//! Who ends says so, and then empties what it was given: who has asked before that comes after it.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub struct Queue {
    closed: AtomicBool,
    jobs: Mutex<VecDeque<u64>>,
    asked_first: Mutex<VecDeque<u64>>,
    paused: AtomicBool,
}

impl Queue {
    pub fn put(&self, job: u64) -> Result<(), u64> {
        if self.closed.load(Ordering::SeqCst) { //~
            return Err(job);
        }
        self.jobs.lock().unwrap().push_back(job); //~
        Ok(())
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let mut jobs = self.jobs.lock().unwrap();
        while let Some(job) = jobs.pop_front() {
            println!("{job} is given up");
        }
        drop(jobs);
        let mut asked = self.asked_first.lock().unwrap();
        asked.clear();
    }

    /// Asks under the lock that it is emptied under.
    pub fn put_asked(&self, job: u64) -> Result<(), u64> {
        let mut jobs = self.asked_first.lock().unwrap();
        if self.closed.load(Ordering::SeqCst) {
            return Err(job);
        }
        jobs.push_back(job);
        Ok(())
    }

    /// Whoever pauses leaves what there is.
    pub fn put_unless_paused(&self, job: u64) {
        if !self.paused.load(Ordering::SeqCst) {
            self.jobs.lock().unwrap().push_back(job);
        }
    }

    pub fn pause(&self) {
        self.paused.store(true, Ordering::SeqCst);
    }
}

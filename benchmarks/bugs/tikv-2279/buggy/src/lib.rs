//! A queue of jobs that can be stopped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Mutex;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
pub struct Pool {
    stopped: AtomicBool,
    queue: Mutex<VecDeque<Job>>,
}

impl Pool {
    /// Queues the job, unless the pool was stopped.
    pub fn execute(&self, job: Job) {
        let stopped = self.stopped.load(SeqCst); //~ RACE
        if stopped {
            return;
        }
        self.queue.lock().unwrap().push_back(job); //~ RACE
    }

    /// Stops the pool and returns the jobs nobody ran; none comes after.
    pub fn stop(&self) -> Vec<Job> {
        self.stopped.store(true, SeqCst);
        self.queue.lock().unwrap().drain(..).collect()
    }
}

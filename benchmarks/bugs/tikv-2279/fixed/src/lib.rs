//! A queue of jobs that can be stopped.

use std::collections::VecDeque;
use std::sync::Mutex;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    stopped: bool,
    queue: VecDeque<Job>,
}

#[derive(Default)]
pub struct Pool {
    state: Mutex<State>,
}

impl Pool {
    /// Queues the job, unless the pool was stopped.
    pub fn execute(&self, job: Job) {
        let mut state = self.state.lock().unwrap();
        if state.stopped {
            return;
        }
        state.queue.push_back(job);
    }

    /// Stops the pool and returns the jobs nobody ran; none comes after.
    pub fn stop(&self) -> Vec<Job> {
        let mut state = self.state.lock().unwrap();
        state.stopped = true;
        state.queue.drain(..).collect()
    }
}

//! What is taken out of a queue, and counted as being worked on only then: in between it is nowhere.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    busy: usize,
    done: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    more: Condvar,
    idle: Condvar,
}

/// Who waits for all to be done may find no job and nobody who works.
#[derive(Clone, Default)]
pub struct CountedLate(Arc<Shared>);

impl CountedLate {
    pub fn start(&self) {
        let shared = self.0.clone();
        std::thread::spawn(move || {
            loop {
                let mut state = shared.state.lock().unwrap();
                while state.jobs.is_empty() {
                    state = shared.more.wait(state).unwrap();
                }
                let job = state.jobs.pop_front(); //~
                drop(state);
                shared.state.lock().unwrap().busy += 1; //~
                if let Some(job) = job {
                    job();
                }
                let mut state = shared.state.lock().unwrap();
                state.busy -= 1;
                if state.busy == 0 && state.jobs.is_empty() {
                    shared.idle.notify_all();
                }
            }
        });
    }

    pub fn execute(&self, job: Job) {
        self.0.state.lock().unwrap().jobs.push_back(job);
        self.0.more.notify_one();
    }

    pub fn join(&self) {
        let mut state = self.0.state.lock().unwrap();
        while state.busy > 0 || !state.jobs.is_empty() { //~
            state = self.0.idle.wait(state).unwrap();
        }
    }
}

/// Counted in the section in which it is taken.
#[derive(Clone, Default)]
pub struct CountedInTime(Arc<Shared>);

impl CountedInTime {
    pub fn start(&self) {
        let shared = self.0.clone();
        std::thread::spawn(move || {
            loop {
                let mut state = shared.state.lock().unwrap();
                while state.jobs.is_empty() {
                    state = shared.more.wait(state).unwrap();
                }
                let job = state.jobs.pop_front();
                state.busy += 1;
                drop(state);
                if let Some(job) = job {
                    job();
                }
                let mut state = shared.state.lock().unwrap();
                state.busy -= 1;
                if state.busy == 0 && state.jobs.is_empty() {
                    shared.idle.notify_all();
                }
            }
        });
    }

    pub fn execute(&self, job: Job) {
        self.0.state.lock().unwrap().jobs.push_back(job);
        self.0.more.notify_one();
    }

    pub fn join(&self) {
        let mut state = self.0.state.lock().unwrap();
        while state.busy > 0 || !state.jobs.is_empty() {
            state = self.0.idle.wait(state).unwrap();
        }
    }
}

/// What is done is counted when it is done: in between it is neither open nor done.
#[derive(Clone, Default)]
pub struct Done(Arc<Shared>);

impl Done {
    pub fn start(&self) {
        let shared = self.0.clone();
        std::thread::spawn(move || {
            loop {
                let mut state = shared.state.lock().unwrap();
                while state.jobs.is_empty() {
                    state = shared.more.wait(state).unwrap();
                }
                let job = state.jobs.pop_front();
                drop(state);
                if let Some(job) = job {
                    job();
                }
                shared.state.lock().unwrap().done += 1;
            }
        });
    }

    pub fn execute(&self, job: Job) {
        self.0.state.lock().unwrap().jobs.push_back(job);
        self.0.more.notify_one();
    }

    pub fn progress(&self) -> (usize, usize) {
        let state = self.0.state.lock().unwrap();
        (state.jobs.len(), state.done)
    }
}

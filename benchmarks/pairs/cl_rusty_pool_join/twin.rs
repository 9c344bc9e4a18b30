// rusty_pool 0.3.2: `join` looked at the idle workers only; between two jobs all are idle while the queue is not empty.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State { jobs: VecDeque<Job>, busy: usize }

#[derive(Clone, Default)]
pub struct Pool { state: Arc<(Mutex<State>, Condvar, Condvar)> }

impl Pool {
    pub fn start(workers: usize) -> Pool {
        let pool = Pool::default();
        for _ in 0..workers {
            let state = pool.state.clone();
            std::thread::spawn(move || loop {
                let job = {
                    let mut s = state.0.lock().unwrap();
                    while s.jobs.is_empty() { s = state.1.wait(s).unwrap(); }
                    s.busy += 1;
                    s.jobs.pop_front()
                };
                if let Some(job) = job { job(); }
                let mut s = state.0.lock().unwrap();
                s.busy -= 1;
                if s.busy == 0 && s.jobs.is_empty() { state.2.notify_all(); }
            });
        }
        pool
    }
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.state.0.lock().unwrap().jobs.push_back(Box::new(job));
        self.state.1.notify_one();
    }
    pub fn join(&self) {
        let mut s = self.state.0.lock().unwrap();
        while s.busy > 0 || !s.jobs.is_empty() { s = self.state.2.wait(s).unwrap(); }
    }
}

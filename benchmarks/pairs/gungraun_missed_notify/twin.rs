// Repaired as in PR #628: queued_jobs (submitted, not yet started) and shutdown live under the condvar's mutex; execute() pushes and counts with it held, and a worker sleeps only while the count, seen under it, is zero, else it looks through the deques again.
use crossbeam::deque::{Injector, Stealer, Worker};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

type Job = Box<dyn FnOnce() + Send + 'static>;

#[derive(Default)]
struct State {
    queued_jobs: usize,
    shutdown: bool,
}

struct Shared {
    injector: Injector<Job>,
    stealers: Vec<Stealer<Job>>,
    state: Mutex<State>,
    available: Condvar,
}

impl Shared {
    fn find_job(&self, local: &Worker<Job>) -> Option<Job> {
        local.pop().or_else(|| {
            std::iter::repeat_with(|| {
                let injected = self.injector.steal_batch_and_pop(local);
                injected.or_else(|| self.stealers.iter().map(Stealer::steal).collect())
            })
            .find(|stolen| !stolen.is_retry())
            .and_then(|stolen| stolen.success())
        })
    }

    fn run_worker(&self, local: Worker<Job>) {
        loop {
            if let Some(job) = self.find_job(&local) {
                self.state.lock().unwrap().queued_jobs -= 1;
                job();
                continue;
            }
            let mut state = self.state.lock().unwrap();
            while state.queued_jobs == 0 {
                if state.shutdown {
                    return;
                }
                state = self.available.wait(state).unwrap();
            }
        }
    }
}

pub struct ThreadPool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    pub fn new(size: usize) -> Self {
        let locals: Vec<Worker<Job>> = (0..size.max(1)).map(|_| Worker::new_fifo()).collect();
        let shared = Arc::new(Shared {
            injector: Injector::new(),
            stealers: locals.iter().map(Worker::stealer).collect(),
            state: Mutex::new(State::default()),
            available: Condvar::new(),
        });
        let start = |local: Worker<Job>| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.run_worker(local))
        };
        let workers = locals.into_iter().map(start).collect();
        ThreadPool { shared, workers }
    }

    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.shared.state.lock().unwrap();
        self.shared.injector.push(Box::new(job));
        state.queued_jobs += 1;
        self.shared.available.notify_one();
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap().shutdown = true;
        self.shared.available.notify_all();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

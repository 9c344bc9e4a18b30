// gungraun/gungraun, PR #628: a worker looks through the deques, finds nothing and then goes to sleep on the condvar; an execute() that pushes and notifies in between wakes nobody, and the job stays queued for ever.
use crossbeam::deque::{Injector, Stealer, Worker};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

type Job = Box<dyn FnOnce() + Send + 'static>;

struct Shared {
    injector: Injector<Job>,
    stealers: Vec<Stealer<Job>>,
    sleep: Mutex<()>,
    available: Condvar,
    shutdown: AtomicBool,
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
            if let Some(job) = self.find_job(&local) { //~
                job();
                continue;
            }
            if self.shutdown.load(Ordering::SeqCst) {
                return;
            }
            let asleep = self.sleep.lock().unwrap();
            drop(self.available.wait(asleep).unwrap()); //~
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
            sleep: Mutex::new(()),
            available: Condvar::new(),
            shutdown: AtomicBool::new(false),
        });
        let start = |local: Worker<Job>| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.run_worker(local))
        };
        let workers = locals.into_iter().map(start).collect();
        ThreadPool { shared, workers }
    }

    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.shared.injector.push(Box::new(job)); //~
        self.shared.available.notify_one();
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.shutdown.store(true, Ordering::SeqCst);
        self.shared.available.notify_all();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

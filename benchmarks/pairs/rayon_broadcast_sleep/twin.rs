// Source: rayon-rs/rayon pull request #992 (Fix a sleep race with broadcast jobs)
use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crossbeam::deque::{Injector, Steal, Stealer, Worker};

pub type Job = Box<dyn FnOnce(usize) + Send>;

/// The "sleep state" for an individual worker.
#[derive(Default)]
struct WorkerSleepState {
    /// Set to true when the worker goes to sleep; set to false when
    /// the worker is notified or when it wakes.
    is_blocked: Mutex<bool>,

    condvar: Condvar,
}

/// It governs the waking and sleeping of workers.
struct Sleep {
    worker_sleep_states: Vec<WorkerSleepState>,
    sleeping_threads: AtomicUsize,
}

impl Sleep {
    fn sleep(&self, worker_index: usize, latch: &AtomicBool, has_injected_jobs: impl FnOnce() -> bool) {
        let sleep_state = &self.worker_sleep_states[worker_index];
        let mut is_blocked = sleep_state.is_blocked.lock().unwrap();

        // Our latch was signalled.
        if latch.load(Ordering::SeqCst) {
            return;
        }

        // Successfully registered as asleep.
        self.sleeping_threads.fetch_add(1, Ordering::SeqCst);

        // We have one last check for injected jobs to do.
        fence(Ordering::SeqCst);
        if has_injected_jobs() {
            // If we see an externally injected job, then we have to 'wake ourselves up'.
            self.sleeping_threads.fetch_sub(1, Ordering::SeqCst);
        } else {
            // (Note that `is_blocked` is held under a mutex and the mutex was
            // acquired *before* we incremented the counter. This means
            // that whomever is coming to wake us will have to wait until we
            // release the mutex in the call to `wait`, so they will see this
            // boolean as true.)
            *is_blocked = true;
            while *is_blocked {
                is_blocked = sleep_state.condvar.wait(is_blocked).unwrap();
            }
        }
    }

    /// Signals that new jobs were injected into the thread pool from outside.
    fn new_injected_jobs(&self) {
        fence(Ordering::SeqCst);
        if self.sleeping_threads.load(Ordering::SeqCst) != 0 {
            let _ = (0..self.worker_sleep_states.len()).any(|i| self.wake_specific_thread(i));
        }
    }

    fn wake_specific_thread(&self, index: usize) -> bool {
        let sleep_state = &self.worker_sleep_states[index];
        let mut is_blocked = sleep_state.is_blocked.lock().unwrap();
        if *is_blocked {
            *is_blocked = false;
            sleep_state.condvar.notify_one();
            self.sleeping_threads.fetch_sub(1, Ordering::SeqCst);
            true
        } else {
            false
        }
    }
}

struct Registry {
    sleep: Sleep,
    injected_jobs: Injector<Job>,
    broadcasts: Mutex<Vec<Worker<Job>>>,
    terminate_latch: AtomicBool,
}

impl Registry {
    fn new(num_threads: usize) -> Arc<Self> {
        let broadcasts: Vec<_> = (0..num_threads).map(|_| Worker::new_fifo()).collect();
        let stealers: Vec<_> = broadcasts.iter().map(|worker| worker.stealer()).collect();
        let registry = Arc::new(Registry {
            sleep: Sleep {
                worker_sleep_states: (0..num_threads).map(|_| Default::default()).collect(),
                sleeping_threads: AtomicUsize::new(0),
            },
            injected_jobs: Injector::new(),
            broadcasts: Mutex::new(broadcasts),
            terminate_latch: AtomicBool::new(false),
        });
        for (index, stealer) in stealers.into_iter().enumerate() {
            let worker_thread = WorkerThread { stealer, index, registry: registry.clone() };
            thread::spawn(move || worker_thread.wait_until_cold());
        }
        registry
    }

    fn num_threads(&self) -> usize {
        self.sleep.worker_sleep_states.len()
    }

    /// Push a job into the "external jobs" queue; it will be taken by
    /// whatever worker has nothing to do.
    fn inject(&self, job: Job) {
        self.injected_jobs.push(job);
        self.sleep.new_injected_jobs();
    }

    fn has_injected_job(&self) -> bool {
        !self.injected_jobs.is_empty()
    }

    /// Push a job into each thread's own "external jobs" queue; it will be
    /// executed only on that thread, when it has nothing else to do locally.
    fn inject_broadcast(&self, job: impl Fn(usize) + Send + Sync + 'static) {
        let job = Arc::new(job);
        for worker in self.broadcasts.lock().unwrap().iter() {
            let job = job.clone();
            worker.push(Box::new(move |index| job(index)));
        }
        for i in 0..self.num_threads() {
            self.sleep.wake_specific_thread(i);
        }
    }

    fn terminate(&self) {
        self.terminate_latch.store(true, Ordering::SeqCst);
        for i in 0..self.num_threads() {
            self.sleep.wake_specific_thread(i);
        }
    }
}

struct WorkerThread {
    /// the "stealer" half of the worker's broadcast deque
    stealer: Stealer<Job>,
    index: usize,
    registry: Arc<Registry>,
}

impl WorkerThread {
    fn take_job(&self) -> Option<Job> {
        loop {
            match self.stealer.steal().or_else(|| self.registry.injected_jobs.steal()) {
                Steal::Success(job) => return Some(job),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        }
    }

    fn has_injected_job(&self) -> bool {
        !self.stealer.is_empty() || self.registry.has_injected_job()
    }

    fn wait_until_cold(&self) {
        let latch = &self.registry.terminate_latch;
        while !latch.load(Ordering::SeqCst) {
            if let Some(job) = self.take_job() {
                job(self.index);
            } else {
                self.registry
                    .sleep
                    .sleep(self.index, latch, || self.has_injected_job())
            }
        }
    }
}

/// Represents a user created thread-pool.
pub struct ThreadPool {
    registry: Arc<Registry>,
}

impl ThreadPool {
    pub fn new(num_threads: usize) -> Self {
        ThreadPool { registry: Registry::new(num_threads) }
    }

    pub fn current_num_threads(&self) -> usize {
        self.registry.num_threads()
    }

    pub fn spawn(&self, op: impl FnOnce(usize) + Send + 'static) {
        self.registry.inject(Box::new(op));
    }

    pub fn spawn_broadcast(&self, op: impl Fn(usize) + Send + Sync + 'static) {
        self.registry.inject_broadcast(op);
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.registry.terminate();
    }
}

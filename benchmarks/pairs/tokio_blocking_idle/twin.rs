// Source: tokio-rs/tokio PR #7922, commit f21f269, repaired as there: the thread keeps in mind whether it is counted as idle; one that has
// acknowledged a notification was counted down by who notified it, and is not counted down again when it leaves.
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

type Task = Box<dyn FnOnce() + Send + 'static>;

#[derive(Debug, PartialEq, Eq)]
pub enum SpawnError {
    ShuttingDown,
}

#[derive(Default)]
struct SpawnerMetrics {
    num_threads: AtomicUsize,
    num_idle_threads: AtomicUsize,
}

#[derive(Default)]
struct Shared {
    queue: VecDeque<Task>,
    num_notify: u32,
    shutdown: bool,
    worker_threads: HashMap<usize, JoinHandle<()>>,
    worker_thread_index: usize,
}

struct Inner {
    shared: Mutex<Shared>,
    condvar: Condvar,
    thread_cap: usize,
    keep_alive: Duration,
    metrics: SpawnerMetrics,
}

#[derive(Clone)]
pub struct Spawner {
    inner: Arc<Inner>,
}

impl Spawner {
    pub fn spawn_blocking(&self, task: impl FnOnce() + Send + 'static) -> Result<(), SpawnError> {
        let mut shared = self.inner.shared.lock();
        if shared.shutdown {
            return Err(SpawnError::ShuttingDown);
        }
        shared.queue.push_back(Box::new(task));

        if self.inner.metrics.num_idle_threads.load(Ordering::Acquire) == 0 {
            if self.inner.metrics.num_threads.load(Ordering::Acquire) < self.inner.thread_cap {
                self.inner.metrics.num_threads.fetch_add(1, Ordering::AcqRel);
                let id = shared.worker_thread_index;
                shared.worker_thread_index += 1;
                let inner = self.inner.clone();
                shared.worker_threads.insert(id, thread::spawn(move || inner.run(id)));
            }
        } else {
            // The thread that is notified is not idle from now on.
            self.inner.metrics.num_idle_threads.fetch_sub(1, Ordering::AcqRel);
            shared.num_notify += 1;
            self.inner.condvar.notify_one();
        }
        Ok(())
    }

    pub fn num_idle_threads(&self) -> usize {
        self.inner.metrics.num_idle_threads.load(Ordering::Acquire)
    }
}

impl Inner {
    fn run(&self, worker_thread_id: usize) {
        let mut shared = self.shared.lock();
        // Is this thread currently counted in `num_idle_threads`?
        let mut is_counted_idle;

        'main: loop {
            // BUSY
            while let Some(task) = shared.queue.pop_front() {
                drop(shared);
                task();
                shared = self.shared.lock();
            }

            // IDLE
            self.metrics.num_idle_threads.fetch_add(1, Ordering::AcqRel);
            is_counted_idle = true;

            while !shared.shutdown {
                let timeout = self.condvar.wait_for(&mut shared, self.keep_alive);
                if shared.num_notify != 0 {
                    // Acknowledge it and transition to the BUSY state.
                    shared.num_notify -= 1;
                    is_counted_idle = false;
                    break;
                }
                // A spurious wakeup goes back to sleep.
                if !shared.shutdown && timeout.timed_out() {
                    drop(shared.worker_threads.remove(&worker_thread_id));
                    break 'main;
                }
            }

            if shared.shutdown {
                self.metrics.num_threads.fetch_sub(1, Ordering::AcqRel);
                if is_counted_idle {
                    let prev_idle = self.metrics.num_idle_threads.fetch_sub(1, Ordering::AcqRel);
                    assert_ne!(prev_idle, 0, "`num_idle_threads` underflowed on thread exit");
                }
                while let Some(task) = shared.queue.pop_front() {
                    drop(shared);
                    task();
                    shared = self.shared.lock();
                }
                return;
            }
        }

        // The keep-alive is over.
        self.metrics.num_threads.fetch_sub(1, Ordering::AcqRel);
        self.metrics.num_idle_threads.fetch_sub(1, Ordering::AcqRel);
    }
}

pub struct BlockingPool {
    spawner: Spawner,
}

impl BlockingPool {
    pub fn new(thread_cap: usize, keep_alive: Duration) -> Self {
        let inner = Inner {
            shared: Mutex::default(),
            condvar: Condvar::new(),
            thread_cap,
            keep_alive,
            metrics: SpawnerMetrics::default(),
        };
        BlockingPool { spawner: Spawner { inner: Arc::new(inner) } }
    }

    pub fn spawner(&self) -> &Spawner {
        &self.spawner
    }

    /// What has been accepted is run before this returns.
    pub fn shutdown(self) -> thread::Result<()> {
        let workers = {
            let mut shared = self.spawner.inner.shared.lock();
            shared.shutdown = true;
            self.spawner.inner.condvar.notify_all();
            std::mem::take(&mut shared.worker_threads)
        };
        workers.into_values().try_for_each(JoinHandle::join)
    }
}

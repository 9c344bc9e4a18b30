// BVE-Reborn/switchyard issue #5, repaired by waking every worker of the pool: the thread which owns the task is among them and
// finds it in its queue; the others look and sleep again.
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

pub type Pool = u8;
pub type Job = Box<dyn FnOnce() + Send + 'static>;
/// A thread-local task: polled by its own thread only; `true` when it is done.
pub type LocalTask = Box<dyn FnMut() -> bool + Send + 'static>;

struct Queue {
    inner: Mutex<QueueInner>,
    cond_var: Condvar,
}

#[derive(Default)]
struct QueueInner {
    jobs: VecDeque<Job>,
    shutdown: bool,
}

/// The tasks which belong to one worker.
pub struct ThreadLocalQueue {
    waiting: Mutex<HashMap<u64, LocalTask>>,
    woken: Mutex<VecDeque<u64>>,
}

pub struct Shared {
    queues: Vec<Queue>,
}

pub struct ThreadLocalWaker {
    shared: Arc<Shared>,
    return_queue: Arc<ThreadLocalQueue>,
    future_key: u64,
    pool: Pool,
}

impl ThreadLocalWaker {
    pub fn wake_by_ref(&self) {
        let global_queue = &self.shared.queues[self.pool as usize];
        // Always grab global -> local
        let _global = global_queue.inner.lock().unwrap();
        self.return_queue.woken.lock().unwrap().push_back(self.future_key);
        global_queue.cond_var.notify_all();
    }
}

pub struct Switchyard {
    shared: Arc<Shared>,
    locals: Vec<Arc<ThreadLocalQueue>>,
    threads: Vec<(Pool, JoinHandle<()>)>,
}

impl Switchyard {
    pub fn new(pools: u8, threads_per_pool: usize) -> Self {
        let queues = (0..pools).map(|_| Queue { inner: Mutex::default(), cond_var: Condvar::new() }).collect();
        let shared = Arc::new(Shared { queues });
        let (mut locals, mut threads) = (Vec::new(), Vec::new());
        for pool in 0..pools {
            for _ in 0..threads_per_pool {
                let local = Arc::new(ThreadLocalQueue { waiting: Mutex::default(), woken: Mutex::default() });
                locals.push(local.clone());
                let shared = shared.clone();
                threads.push((pool, std::thread::spawn(move || worker_thread(&shared.queues[pool as usize], &local))));
            }
        }
        Self { shared, locals, threads }
    }

    /// Any worker of the pool may run it.
    pub fn spawn(&self, pool: Pool, job: Job) {
        let queue = &self.shared.queues[pool as usize];
        queue.inner.lock().unwrap().jobs.push_back(job);
        queue.cond_var.notify_one();
    }

    /// Adds a task to one worker; it is polled when its waker is woken.
    pub fn spawn_local(&self, thread: usize, key: u64, task: LocalTask) -> ThreadLocalWaker {
        let return_queue = self.locals[thread].clone();
        return_queue.waiting.lock().unwrap().insert(key, task);
        ThreadLocalWaker { shared: self.shared.clone(), return_queue, future_key: key, pool: self.threads[thread].0 }
    }

    pub fn finish(self) {
        for queue in &self.shared.queues {
            queue.inner.lock().unwrap().shutdown = true;
            queue.cond_var.notify_all();
        }
        for (_, thread) in self.threads {
            let _ = thread.join();
        }
    }
}

fn worker_thread(queue: &Queue, local: &ThreadLocalQueue) {
    let mut inner = queue.inner.lock().unwrap();
    loop {
        if let Some(job) = inner.jobs.pop_front() {
            drop(inner);
            job();
            inner = queue.inner.lock().unwrap();
            continue;
        }
        let woken = local.woken.lock().unwrap().pop_front();
        if let Some(key) = woken {
            drop(inner);
            let task = local.waiting.lock().unwrap().remove(&key);
            if let Some(mut task) = task {
                if !task() {
                    local.waiting.lock().unwrap().insert(key, task);
                }
            }
            inner = queue.inner.lock().unwrap();
            continue;
        }
        if inner.shutdown {
            return;
        }
        inner = queue.cond_var.wait(inner).unwrap();
    }
}

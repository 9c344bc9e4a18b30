// Source: ykjit/yk PR #1346 (join worker threads and percolate panics outwards)
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

pub type Job = Box<dyn FnOnce() + Send>;

#[derive(Debug, PartialEq, Eq)]
pub enum MTError {
    ShuttingDown,
}

#[derive(Default)]
struct JobQueue {
    jobs: VecDeque<Job>,
    closed: bool,
    live_workers: usize,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<JobQueue>,
    job_ready: Condvar,
    worker_gone: Condvar,
}

impl Shared {
    fn next_job(&self) -> Option<Job> {
        let mut queue = self.queue.lock().unwrap();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            if queue.closed {
                return None;
            }
            queue = self.job_ready.wait(queue).unwrap();
        }
    }

    fn close(&self) {
        self.queue.lock().unwrap().closed = true;
        self.job_ready.notify_all();
    }

    fn wait_for_workers(&self) {
        let mut queue = self.queue.lock().unwrap();
        while queue.live_workers > 0 {
            queue = self.worker_gone.wait(queue).unwrap();
        }
    }
}

struct LiveWorker(Arc<Shared>);

impl Drop for LiveWorker {
    fn drop(&mut self) {
        self.0.queue.lock().unwrap().live_workers -= 1;
        self.0.worker_gone.notify_all();
    }
}

pub struct MT {
    shared: Arc<Shared>,
}

impl MT {
    pub fn new(max_worker_threads: usize) -> Self {
        let shared = Arc::new(Shared::default());
        shared.queue.lock().unwrap().live_workers = max_worker_threads;
        for _ in 0..max_worker_threads {
            spawn_worker(shared.clone());
        }
        MT { shared }
    }

    pub fn queue_job(&self, job: Job) -> Result<(), MTError> {
        let mut queue = self.shared.queue.lock().unwrap();
        if queue.closed {
            return Err(MTError::ShuttingDown);
        }
        queue.jobs.push_back(job);
        drop(queue);
        self.shared.job_ready.notify_one();
        Ok(())
    }

    pub fn shutdown(self) {
        drop(self);
    }
}

impl Drop for MT {
    fn drop(&mut self) {
        self.shared.close();
        self.shared.wait_for_workers();
    }
}

fn spawn_worker(shared: Arc<Shared>) -> JoinHandle<()> {
    let live = LiveWorker(shared.clone());
    thread::spawn(move || {
        let _live = live;
        while let Some(job) = shared.next_job() {
            job();
        }
    })
}

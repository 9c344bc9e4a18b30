// Source: rust-threadpool/rust-threadpool commit 2694e24 ("Fix nasty deadlock"): who joins waits for a flag and takes it down for the next
// join. Two that join at once are both woken when the last job ends; the first takes the flag down, and the second waits for ever.
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

type Thunk<'a> = Box<dyn FnOnce() + Send + 'a>;

struct ThreadPoolSharedData {
    name: Option<String>,
    job_receiver: Mutex<Receiver<Thunk<'static>>>,
    empty_trigger: Mutex<bool>,
    empty_condvar: Condvar,
    /// Jobs that have been accepted and have not ended.
    job_count: AtomicUsize,
    panic_count: AtomicUsize,
}

impl ThreadPoolSharedData {
    fn has_work(&self) -> bool {
        self.job_count.load(Ordering::SeqCst) > 0
    }

    /// Notify all observers joining this pool if there is no more work to do.
    fn no_work_notify_all(&self) {
        if !self.has_work() {
            *self.empty_trigger.lock().unwrap() = true; //~
            self.empty_condvar.notify_all();
        }
    }

    fn next_job(&self) -> Option<Thunk<'static>> {
        let lock = self.job_receiver.lock().expect("unable to lock job_receiver");
        lock.recv().ok()
    }

    fn run(&self) {
        while let Some(job) = self.next_job() {
            if panic::catch_unwind(AssertUnwindSafe(job)).is_err() {
                self.panic_count.fetch_add(1, Ordering::SeqCst);
            }
            self.job_count.fetch_sub(1, Ordering::SeqCst);
            self.no_work_notify_all();
        }
    }
}

#[derive(Default)]
pub struct Builder {
    num_threads: Option<usize>,
    thread_name: Option<String>,
}

impl Builder {
    pub fn num_threads(mut self, num_threads: usize) -> Builder {
        assert!(num_threads > 0);
        self.num_threads = Some(num_threads);
        self
    }

    pub fn thread_name(mut self, name: String) -> Builder {
        self.thread_name = Some(name);
        self
    }

    pub fn build(self) -> ThreadPool {
        let (tx, rx) = channel();
        let shared_data = Arc::new(ThreadPoolSharedData {
            name: self.thread_name,
            job_receiver: Mutex::new(rx),
            empty_trigger: Mutex::new(false),
            empty_condvar: Condvar::new(),
            job_count: AtomicUsize::new(0),
            panic_count: AtomicUsize::new(0),
        });
        for _ in 0..self.num_threads.unwrap_or(1) {
            spawn_in_pool(shared_data.clone());
        }
        ThreadPool { jobs: tx, shared_data }
    }
}

fn spawn_in_pool(shared_data: Arc<ThreadPoolSharedData>) {
    let mut builder = thread::Builder::new();
    if let Some(ref name) = shared_data.name {
        builder = builder.name(name.clone());
    }
    builder.spawn(move || shared_data.run()).expect("failed to start a thread");
}

/// Clones share the threads and the queue.
#[derive(Clone)]
pub struct ThreadPool {
    jobs: Sender<Thunk<'static>>,
    shared_data: Arc<ThreadPoolSharedData>,
}

impl ThreadPool {
    pub fn execute<F: FnOnce() + Send + 'static>(&self, job: F) {
        self.shared_data.job_count.fetch_add(1, Ordering::SeqCst);
        self.jobs.send(Box::new(job)).expect("ThreadPool::execute unable to send job into queue.");
    }

    pub fn panic_count(&self) -> usize {
        self.shared_data.panic_count.load(Ordering::SeqCst)
    }

    /// Blocks until all jobs have ended.
    pub fn join(&self) {
        while self.shared_data.has_work() {
            let mut lock = self.shared_data.empty_trigger.lock().unwrap();
            while !*lock { //~
                lock = self.shared_data.empty_condvar.wait(lock).unwrap();
            }

            // prepare the trigger for the next join
            *lock = false; //~
        }
    }
}

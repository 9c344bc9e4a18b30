// karyon_core 1.0.4, src/async_runtime/executor.rs: the threads of the one executor that is in a static never end, and need not: nobody drops what is
// in a static.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, OnceLock};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    some: Condvar,
}

#[derive(Clone)]
pub struct Executor {
    queue: Arc<Queue>,
}

static GLOBAL: OnceLock<Executor> = OnceLock::new();

pub fn global() -> Executor {
    fn init() -> Executor {
        let queue = Arc::new(Queue::default());
        for _ in 0..4 {
            let queue = queue.clone();
            std::thread::spawn(move || loop {
                let mut jobs = queue.jobs.lock().unwrap();
                let job = loop {
                    match jobs.pop_front() {
                        Some(job) => break job,
                        None => jobs = queue.some.wait(jobs).unwrap(),
                    }
                };
                drop(jobs);
                job();
            });
        }
        Executor { queue }
    }
    GLOBAL.get_or_init(init).clone()
}

impl Executor {
    pub fn spawn(&self, job: Job) {
        self.queue.jobs.lock().unwrap().push_back(job);
        self.queue.some.notify_one();
    }
}

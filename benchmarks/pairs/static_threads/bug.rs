// After karyon_core 1.0.4, src/async_runtime/executor.rs (which is right), with an executor for each who makes one: its threads are not told when it is
// dropped; they and the queue stay for ever.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    some: Condvar,
}

pub struct Executor {
    queue: Arc<Queue>,
}

impl Executor {
    pub fn new() -> Executor {
        let queue = Arc::new(Queue::default());
        for _ in 0..4 {
            let queue = queue.clone();
            std::thread::spawn(move || loop { //~
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

    pub fn spawn(&self, job: Job) {
        self.queue.jobs.lock().unwrap().push_back(job);
        self.queue.some.notify_one();
    }
}

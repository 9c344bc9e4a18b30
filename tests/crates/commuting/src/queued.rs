//! Threads that the constructor starts, and threads that methods start: each takes what it does from the queue whose lock it has.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

type Job = Box<dyn FnMut() + Send>;

#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    more: Condvar,
}

/// Threads that do jobs.
pub struct Crew {
    queue: Arc<Queue>,
}

impl Crew {
    pub fn new() -> Crew {
        let crew = Crew { queue: Arc::default() };
        crew.hire();
        crew
    }

    pub fn give(&self, job: Job) {
        let mut jobs = self.queue.jobs.lock().unwrap();
        if jobs.len() > 4 {
            self.hire();
        }
        jobs.push_back(job);
        self.queue.more.notify_one();
    }

    fn hire(&self) {
        let queue = self.queue.clone();
        std::thread::spawn(move || {
            loop {
                let mut job = {
                    let mut jobs = queue.jobs.lock().unwrap();
                    let job;
                    loop {
                        if let Some(first) = jobs.pop_front() {
                            job = first;
                            break;
                        }
                        let (again, waited) =
                            queue.more.wait_timeout(jobs, Duration::from_secs(5)).unwrap();
                        jobs = again;
                        if waited.timed_out() && jobs.is_empty() {
                            return;
                        }
                    }
                    job
                };
                job();
            }
        });
    }
}

impl Default for Crew {
    fn default() -> Self {
        Crew::new()
    }
}

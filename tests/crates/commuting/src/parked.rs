//! Who waits for one of two things looks at both under the lock that is given back with the wait.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Shared {
    jobs: Mutex<VecDeque<u32>>,
    more: Condvar,
    stop: AtomicBool,
}

/// Both are changed under the lock.
#[derive(Default)]
pub struct Queue {
    shared: Arc<Shared>,
}

impl Queue {
    pub fn start(&self) {
        let shared = self.shared.clone();
        thread::spawn(move || loop {
            let mut jobs = shared.jobs.lock().unwrap();
            while jobs.is_empty() && !shared.stop.load(SeqCst) {
                jobs = shared.more.wait(jobs).unwrap();
            }
            let Some(job) = jobs.pop_front() else { break };
            drop(jobs);
            println!("{job}");
        });
    }

    pub fn add(&self, job: u32) {
        self.shared.jobs.lock().unwrap().push_back(job);
        self.shared.more.notify_one();
    }

    pub fn stop(&self) {
        let jobs = self.shared.jobs.lock().unwrap();
        self.shared.stop.store(true, SeqCst);
        drop(jobs);
        self.shared.more.notify_all();
    }
}

/// It is stopped without the lock, so who has looked and not begun to wait is never woken.
#[derive(Default)]
pub struct Stuck {
    shared: Arc<Shared>,
}

impl Stuck {
    pub fn start(&self) {
        let shared = self.shared.clone();
        thread::spawn(move || loop {
            let mut jobs = shared.jobs.lock().unwrap();
            let job = loop {
                if let Some(job) = jobs.pop_front() {
                    break job;
                }
                if shared.stop.load(SeqCst) { //~
                    return;
                }
                jobs = shared.more.wait(jobs).unwrap(); //~
            };
            drop(jobs);
            println!("{job}");
        });
    }

    pub fn add(&self, job: u32) {
        self.shared.jobs.lock().unwrap().push_back(job);
        self.shared.more.notify_one();
    }

    pub fn stop(&self) {
        self.shared.stop.store(true, SeqCst); //~
        self.shared.more.notify_all(); //~
    }
}

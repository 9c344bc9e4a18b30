//! What a value is made of, variant by variant: what goes into one part says nothing of the others, and what decides which one it is
//! decides about all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

#[derive(Default)]
pub struct Job {
    done: Mutex<u32>,
}

/// A job that this call has made, or one that it found.
enum Found {
    Mine(Arc<Job>),
    Theirs(Arc<Job>),
}

#[derive(Default)]
pub struct Board {
    jobs: Mutex<HashMap<String, Arc<Job>>>,
    low: Mutex<u32>,
    high: Mutex<u32>,
}

impl Board {
    fn find(&self, name: &str) -> Found {
        let mut jobs = self.jobs.lock().unwrap();
        match jobs.get(name) {
            Some(job) => Found::Theirs(job.clone()),
            None => {
                let job = Arc::new(Job::default());
                let old = *job.done.lock().unwrap();
                *job.done.lock().unwrap() = old + 1;
                jobs.insert(name.to_owned(), job.clone());
                Found::Mine(job)
            }
        }
    }

    /// Nobody else sets up the job that one has made.
    pub fn join(&self, name: &str) -> u32 {
        match self.find(name) {
            Found::Mine(_) => 0,
            Found::Theirs(job) => *job.done.lock().unwrap(),
        }
    }

    /// What one has found, others find, too.
    pub fn count(&self, name: &str) {
        if let Found::Theirs(job) = self.find(name) {
            let old = *job.done.lock().unwrap(); //~
            *job.done.lock().unwrap() = old + 1; //~
        }
    }

    /// Both parts are chosen by one look.
    pub fn choose(&self) {
        let (least, _most) = if *self.low.lock().unwrap() > 3 { (1, 2) } else { (4, 5) }; //~
        *self.low.lock().unwrap() = least; //~
    }

    /// One part is looked up, the other one is always the same.
    pub fn level(&self) {
        let (_seen, next) = (*self.high.lock().unwrap(), 7);
        *self.high.lock().unwrap() = next;
    }
}

/// What is borrowed of a watch channel stays as it was while it is.
pub struct Settings {
    now: watch::Sender<(u32, u32)>,
    seen: watch::Receiver<(u32, u32)>,
}

impl Settings {
    pub fn new() -> Settings {
        let (now, seen) = watch::channel((0, 0));
        Settings { now, seen }
    }

    pub fn both(&self) -> u32 {
        let now = self.seen.borrow();
        now.0 + now.1
    }

    pub fn put(&self, a: u32, b: u32) {
        _ = self.now.send((a, b)); //~
    }

    pub fn add(&self) {
        let (a, b) = *self.now.borrow(); //~
        _ = self.now.send((a + 1, b)); //~
    }
}

//! What a task was started with is its own, whatever it puts in there: one round of its loop does not meet another one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// Says so where it ends.
pub struct Job {
    ended: Arc<Mutex<bool>>,
}

impl Drop for Job {
    fn drop(&mut self) {
        *self.ended.lock().unwrap() = true;
    }
}

pub struct Jobs {
    list: Arc<Mutex<Vec<Job>>>,
}

impl Jobs {
    pub fn number(&self) -> usize {
        self.list.lock().unwrap().len()
    }
}

pub fn start() -> (Jobs, Sender<Job>) {
    let list = Arc::new(Mutex::new(Vec::new()));
    let (sender, receiver): (Sender<Job>, Receiver<Job>) = channel();
    let jobs = list.clone();
    thread::spawn(move || {
        for job in receiver {
            jobs.lock().unwrap().push(job);
            if jobs.lock().unwrap().len() > 3 {
                jobs.lock().unwrap().clear();
            }
        }
    });
    (Jobs { list }, sender)
}

/// Two threads share a list.
pub fn start_two() -> [Sender<Job>; 2] {
    let list = Arc::new(Mutex::new(Vec::new()));
    [(); 2].map(|()| {
        let (sender, receiver): (Sender<Job>, Receiver<Job>) = channel();
        let jobs: Arc<Mutex<Vec<Job>>> = list.clone();
        thread::spawn(move || {
            for job in receiver {
                jobs.lock().unwrap().push(job);
                if jobs.lock().unwrap().len() > 3 { //~
                    jobs.lock().unwrap().clear(); //~
                }
            }
        });
        sender
    })
}

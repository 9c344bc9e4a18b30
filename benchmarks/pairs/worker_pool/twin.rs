//! They count when they ask.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
pub type Job = Box<dyn FnOnce() + Send>;
pub struct Pool { jobs: Sender<Job>, pub done: Arc<AtomicUsize>, closed: Arc<AtomicBool> }
fn worker(jobs: Arc<Mutex<Receiver<Job>>>, done: Arc<AtomicUsize>, most: usize) {
    loop {
        let Ok(job) = jobs.lock().unwrap().recv() else { break };
        if done.fetch_add(1, Ordering::SeqCst) >= most { done.fetch_sub(1, Ordering::SeqCst); break }
        job();
    }
}
impl Pool {
    pub fn start(workers: usize, most: usize) -> Pool {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let done = Arc::new(AtomicUsize::new(0));
        for _ in 0..workers {
            let (queue, done) = (queue.clone(), done.clone());
            thread::spawn(move || worker(queue, done, most));
        }
        Pool { jobs, done, closed: Arc::default() }
    }
    pub fn run(&self, job: impl FnOnce() + Send + 'static) -> bool {
        !self.closed.load(Ordering::SeqCst) && self.jobs.send(Box::new(job)).is_ok()
    }
}


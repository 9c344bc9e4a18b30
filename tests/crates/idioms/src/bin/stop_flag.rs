//! A pool that looks whether it was stopped, then queues: the job may come after the stop.
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Default)]
struct Pool {
    stopped: AtomicBool,
    queue: Mutex<Vec<u64>>,
}

fn execute(pool: &Pool, job: u64) {
    if pool.stopped.load(SeqCst) {
        return;
    }
    pool.queue.lock().unwrap().push(job);
}

fn stop(pool: &Pool) {
    pool.stopped.store(true, SeqCst);
    pool.queue.lock().unwrap().clear();
}

fn main() {
    let pool = Arc::new(Pool::default());
    for job in 0..3 {
        let pool = pool.clone();
        thread::spawn(move || execute(&pool, job));
    }
    thread::spawn(move || stop(&pool));
}

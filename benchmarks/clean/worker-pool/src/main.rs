//! A few threads that work off a list of jobs.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

fn main() {
    let (jobs, inbox) = mpsc::channel::<u64>();
    let inbox = Arc::new(Mutex::new(inbox));
    let total = Arc::new(AtomicU64::new(0));
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let inbox = inbox.clone();
            let total = total.clone();
            thread::spawn(move || work(&inbox, &total))
        })
        .collect();
    for job in 0..100 {
        jobs.send(job).unwrap();
    }
    drop(jobs);
    for worker in workers {
        worker.join().unwrap();
    }
    println!("{}", total.load(Relaxed));
}

fn work(inbox: &Mutex<mpsc::Receiver<u64>>, total: &AtomicU64) {
    loop {
        let job = inbox.lock().unwrap().recv();
        match job {
            Ok(job) => total.fetch_add(job * job, Relaxed),
            Err(_) => return,
        };
    }
}

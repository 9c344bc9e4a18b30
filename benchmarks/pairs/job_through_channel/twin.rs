// An executable. The same job object is in main's hand and, through the channel, in the worker's.
use std::io::BufRead;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

struct Job { name: String, percent: Mutex<u32> }

fn work(jobs: mpsc::Receiver<Arc<Job>>) {
    for job in jobs {
        for _ in 0..4 {
            let mut percent = job.percent.lock().unwrap();
            *percent = (*percent + 25).min(100);
        }
    }
}

fn main() {
    let (send, jobs) = mpsc::channel();
    thread::spawn(move || work(jobs));
    for line in std::io::stdin().lock().lines() {
        let Ok(name) = line else { break };
        let job = Arc::new(Job { name, percent: Mutex::new(0) });
        if send.send(job.clone()).is_err() { break; }
        if job.name.starts_with('!') { *job.percent.lock().unwrap() = 0; }
        println!("{}: {}", job.name, job.percent.lock().unwrap());
    }
}

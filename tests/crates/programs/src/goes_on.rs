//! What `main` starts before it goes on with the same things itself: it runs beside all that `main` does from there on.
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

#[derive(Default)]
struct Job {
    percent: Mutex<u32>,
    tries: Mutex<u32>,
    name: Mutex<String>,
}

fn work(jobs: mpsc::Receiver<Arc<Job>>) {
    while let Ok(job) = jobs.recv() {
        let percent = *job.percent.lock().unwrap(); //~
        *job.percent.lock().unwrap() = (percent + 25).min(100); //~

        let mut tries = job.tries.lock().unwrap();
        *tries = (*tries + 1).min(5);
    }
}

/// Looks and changes at once only where nobody else changes.
fn rename(name: &Mutex<String>) {
    let last = name.lock().unwrap().clone();
    *name.lock().unwrap() = last + "!";
}

fn main() {
    let (send, jobs) = mpsc::channel();
    let worker = thread::spawn(move || work(jobs));
    let job = Arc::new(Job::default());
    rename(&job.name);
    let _ = send.send(job.clone());
    *job.percent.lock().unwrap() = 0;
    *job.tries.lock().unwrap() = 0;
    drop(send);
    let _ = worker.join();
    rename(&job.name);
    println!("{}", job.name.lock().unwrap());
}

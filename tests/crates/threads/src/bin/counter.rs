//! Threads add to a counter under its lock.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let total = Arc::new(Mutex::new(0u64));
    let mut workers = Vec::new();
    for number in 0..4 {
        let total = Arc::clone(&total);
        workers.push(thread::spawn(move || {
            *total.lock().unwrap() += number;
        }));
    }
    for worker in workers {
        worker.join().unwrap();
    }
    println!("{}", total.lock().unwrap());
}

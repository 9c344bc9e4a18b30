//! Threads load, then store: updates get lost.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn main() {
    let hits = Arc::new(AtomicUsize::new(0));
    let mut workers = Vec::new();
    for _ in 0..4 {
        let hits = hits.clone();
        workers.push(thread::spawn(move || {
            let seen = hits.load(Ordering::SeqCst);
            hits.store(seen + 1, Ordering::SeqCst);
        }));
    }
    for worker in workers {
        worker.join().unwrap();
    }
}

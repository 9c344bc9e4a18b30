//! Threads count with one atomic operation.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static HITS: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let workers: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(|| {
                HITS.fetch_add(1, Ordering::SeqCst);
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    println!("{}", HITS.load(Ordering::SeqCst));
}

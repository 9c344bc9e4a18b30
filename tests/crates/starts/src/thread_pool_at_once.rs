//! A pool of threads of a library.

use std::sync::{Arc, Mutex};

type Hits = Arc<Mutex<u64>>;

fn count(hits: &Hits) {
    *hits.lock().unwrap() += 1;
}

fn main() {
    let hits = Hits::default();
    let pool = threadpool::ThreadPool::new(2);
    for _ in 0..2 {
        let hits = hits.clone();
        pool.execute(move || count(&hits));
    }
    pool.join();
    println!("{}", hits.lock().unwrap());
}

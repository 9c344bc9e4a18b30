//! The newest request wins: an older answer is dropped.
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Default)]
struct Search {
    latest: Mutex<u64>,
    shown: AtomicU64,
}

fn search(search: &Search, text: u64) {
    let request = {
        let mut latest = search.latest.lock().unwrap();
        *latest += 1;
        *latest
    };
    let answer = text * 2;
    let latest = search.latest.lock().unwrap();
    if *latest == request {
        search.shown.store(answer, SeqCst);
    }
}

fn main() {
    let state = Arc::new(Search::default());
    for text in 0..3 {
        let state = state.clone();
        thread::spawn(move || search(&state, text));
    }
}

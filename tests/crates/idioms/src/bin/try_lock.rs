//! Counts what it gets to count, and skips the rest.
use std::sync::{Arc, Mutex};
use std::thread;

fn count(total: &Mutex<Vec<u64>>) {
    if let Ok(mut total) = total.try_lock() {
        let last = total.last().copied().unwrap_or_default();
        total.push(last + 1);
    }
}

fn main() {
    let total = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..3 {
        let total = total.clone();
        thread::spawn(move || count(&total));
    }
}

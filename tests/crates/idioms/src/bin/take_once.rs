//! Whoever finds the sender first takes it; the others find nothing.
use std::sync::{Arc, Mutex};
use std::thread;

fn finish(slot: &Mutex<Option<u64>>, done: &Mutex<u64>) {
    let taken = slot.lock().unwrap().take();
    if let Some(value) = taken {
        *done.lock().unwrap() = value;
    }
}

fn main() {
    let slot = Arc::new(Mutex::new(Some(1)));
    let done = Arc::new(Mutex::new(0));
    for _ in 0..3 {
        let (slot, done) = (slot.clone(), done.clone());
        thread::spawn(move || finish(&slot, &done));
    }
}

//! Looks whether there is an item, and takes one later: by then it may be gone.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;

fn take(items: &Mutex<VecDeque<u64>>) -> Option<u64> {
    let empty = items.lock().unwrap().is_empty();
    if empty {
        return None;
    }
    Some(items.lock().unwrap().pop_front().unwrap())
}

fn main() {
    let items = Arc::new(Mutex::new(VecDeque::from([1, 2])));
    for _ in 0..3 {
        let items = items.clone();
        thread::spawn(move || println!("{:?}", take(&items)));
    }
}

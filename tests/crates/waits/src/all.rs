//! Handles that are joined in a loop, and the end of a scope, are waited for.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let total = Arc::new(Mutex::new(0u32));
    let mut handles = Vec::new();
    for number in 0..4 {
        let total = total.clone();
        handles.push(thread::spawn(move || *total.lock().unwrap() += number));
    }
    for handle in handles {
        handle.join().unwrap();
    }
    let seen = *total.lock().unwrap();
    *total.lock().unwrap() = seen * 7;

    let longest = Mutex::new(0usize);
    thread::scope(|scope| {
        for word in ["one", "three"] {
            let longest = &longest;
            scope.spawn(move || {
                let mut longest = longest.lock().unwrap();
                *longest = word.len().max(*longest);
            });
        }
    });
    let seen = *longest.lock().unwrap();
    *longest.lock().unwrap() = seen * 7;
}

//! The result is read when the parked thread wakes, which it may do for no reason.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
pub fn compute(parts: Vec<u64>) -> Option<u64> {
    let done = Arc::new(AtomicBool::new(false));
    let result = Arc::new(Mutex::new(None));
    let waiter = thread::current();
    let (told, filled) = (done.clone(), result.clone());
    thread::spawn(move || {
        *filled.lock().unwrap() = Some(parts.iter().sum()); //~
        told.store(true, Ordering::Release);
        waiter.unpark();
    });
    let _ = &done;
    thread::park();
    let answer = result.lock().unwrap().take(); //~
    answer
}

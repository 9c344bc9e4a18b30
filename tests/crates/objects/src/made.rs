//! What an event makes is its own, and that of the tasks that it starts.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

pub fn starts_too_early() {
    let ready = Arc::new(Mutex::new(String::new()));
    let theirs = ready.clone();
    thread::spawn(move || println!("{}", theirs.lock().unwrap())); //~
    *ready.lock().unwrap() = "ready".to_owned(); //~
}

pub fn starts_in_time() {
    let ready = Arc::new(Mutex::new(String::new()));
    *ready.lock().unwrap() = "ready".to_owned();
    let theirs = ready.clone();
    thread::spawn(move || println!("{}", theirs.lock().unwrap()));
}

/// All have ended where it looks.
pub fn adds_up(parts: Vec<u32>) -> u32 {
    let sum = Arc::new(AtomicU32::new(0));
    let mut tasks = Vec::new();
    for part in parts {
        let sum = sum.clone();
        tasks.push(thread::spawn(move || sum.fetch_add(part, Ordering::SeqCst)));
    }
    for task in tasks {
        task.join().unwrap();
    }
    sum.load(Ordering::SeqCst)
}

/// Each call has its own.
pub fn scratch(text: &str) -> usize {
    let found = Mutex::new(Vec::new());
    let before = found.lock().unwrap().len();
    found.lock().unwrap().push(text.len());
    before
}

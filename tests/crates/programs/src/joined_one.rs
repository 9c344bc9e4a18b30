//! Of the threads that a loop has started, one join is of one.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let all: Vec<String> = std::env::args().skip(1).collect();
    let (early, late) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let mut threads = Vec::new();
    for name in all.clone() {
        let early = early.clone();
        threads.push(thread::spawn(move || *early.lock().unwrap() += name.len())); //~
    }
    threads.pop().unwrap().join().unwrap();
    println!("{}", early.lock().unwrap()); //~
    let mut threads = Vec::new();
    for name in all {
        let late = late.clone();
        threads.push(thread::spawn(move || *late.lock().unwrap() += name.len()));
    }
    for thread in threads {
        thread.join().unwrap();
    }
    println!("{}", late.lock().unwrap());
}

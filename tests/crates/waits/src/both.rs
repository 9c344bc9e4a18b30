//! What comes after both joins comes after both threads, whoever goes on meanwhile.
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

fn main() {
    let (left, right) = (Arc::new(Mutex::new(1u32)), Arc::new(Mutex::new(1u32)));
    thread::spawn(|| loop {
        thread::sleep(Duration::from_secs(1));
        println!("tick");
    });
    let theirs = left.clone();
    let one = thread::spawn(move || {
        let mut left = theirs.lock().unwrap();
        *left = left.wrapping_mul(2);
    });
    let theirs = right.clone();
    let two = thread::spawn(move || {
        let mut right = theirs.lock().unwrap();
        *right = right.wrapping_mul(3);
    });
    one.join().unwrap();
    let seen = *left.lock().unwrap();
    *left.lock().unwrap() = seen * 7;
    two.join().unwrap();
    let seen = *right.lock().unwrap();
    *right.lock().unwrap() = seen * 7;
}

//! A join waits for its own thread.
use std::sync::{Arc, RwLock};
use std::thread;

fn main() {
    let rate = Arc::new(RwLock::new(3u64));
    let theirs = rate.clone();
    let squares = thread::spawn(move || {
        let old = *theirs.read().unwrap(); //~
        *theirs.write().unwrap() = old * old; //~
    });
    let greets = thread::spawn(|| println!("ready"));
    greets.join().unwrap();
    *rate.write().unwrap() = 5; //~
    squares.join().unwrap();
    println!("{}", rate.read().unwrap());
}

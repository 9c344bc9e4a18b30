//! A worker that is told to stop.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn main() {
    let stop = Arc::new(AtomicBool::new(false));
    let worker = {
        let stop = stop.clone();
        thread::spawn(move || work(&stop))
    };
    let _ = std::io::stdin().read(&mut [0]);
    stop.store(true, Relaxed);
    let rounds = worker.join().unwrap();
    println!("{rounds} rounds");
}

fn work(stop: &AtomicBool) -> u64 {
    let mut rounds = 0;
    while !stop.load(Relaxed) {
        rounds += 1;
        thread::sleep(Duration::from_millis(100));
    }
    rounds
}

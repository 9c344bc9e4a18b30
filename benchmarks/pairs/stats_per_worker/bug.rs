// An executable. Each worker has its own counters; the sum is made when all have been joined, or too early.
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Default, Clone, Copy)]
struct Stats { done: u64, failed: u64 }

fn work(stats: &Mutex<Stats>, paths: Vec<String>) {
    for path in paths {
        let ok = std::fs::metadata(&path).is_ok();
        let mut stats = stats.lock().unwrap();
        if ok { stats.done += 1 } else { stats.failed += 1 } //~
    }
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let stats = Arc::new(Mutex::new(Stats::default()));
    let mut workers = Vec::new();
    for part in paths.chunks(8) {
        let (stats, part) = (stats.clone(), part.to_vec());
        workers.push(thread::spawn(move || work(&stats, part)));
    }
    if let Some(last) = workers.pop() { last.join().unwrap(); }
    let all = *stats.lock().unwrap(); //~
    println!("{} of {}", all.done, all.done + all.failed);
    drop(workers);
}

//! Searches a list on several threads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let next = AtomicUsize::new(0);
    let found = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(word) = words.get(next.fetch_add(1, Relaxed)) {
                    if word.contains("rust") {
                        found.fetch_add(1, Relaxed);
                    }
                }
            });
        }
    });
    println!("{}", found.load(Relaxed));
}

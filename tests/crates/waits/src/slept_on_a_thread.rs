//! To sleep is not to wait for a thread.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

fn main() {
    let pages = Arc::new(AtomicU32::new(0));
    let counted = pages.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(5));
        counted.store(12, SeqCst); //~
    });
    thread::sleep(Duration::from_millis(50));
    println!("{}", pages.load(SeqCst)); //~
}

//! A loop of compare-exchange, and a flag that is taken once.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

static BEST: AtomicU64 = AtomicU64::new(0);
static CLOSED: AtomicBool = AtomicBool::new(false);

fn offer(score: u64) {
    let mut best = BEST.load(Ordering::Relaxed);
    while score > best {
        match BEST.compare_exchange(best, score, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => break,
            Err(now) => best = now,
        }
    }
}

fn close() -> bool {
    !CLOSED.swap(true, Ordering::AcqRel)
}

fn main() {
    for score in 0..3 {
        thread::spawn(move || offer(score));
        thread::spawn(close);
    }
}

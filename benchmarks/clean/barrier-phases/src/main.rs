//! Each thread measures, then all compare themselves with the sum.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Barrier;
use std::thread;

const THREADS: usize = 4;

fn main() {
    let slots: [AtomicU64; THREADS] = Default::default();
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (slots, barrier) = (&slots, &barrier);
            scope.spawn(move || {
                let mine = measure(number);
                slots[number].store(mine, SeqCst);
                barrier.wait();
                let sum: u64 = slots.iter().map(|slot| slot.load(SeqCst)).sum();
                println!("{number}: {mine} of {sum}");
            });
        }
    });
}

fn measure(number: usize) -> u64 {
    (number * number) as u64
}

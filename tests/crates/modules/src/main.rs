//! What the library does, each in one step, is torn apart here.
use std::sync::Arc;
use std::thread;

use modules::Till;

fn pay(till: &Till, sum: u64) {
    let before = till.sum();
    till.set(before + sum);
}

fn main() {
    let till = Arc::new(Till::default());
    let tips = Arc::new(Till::default());
    let threads: Vec<_> = (0..4)
        .map(|sum| {
            let (till, tips) = (till.clone(), tips.clone());
            thread::spawn(move || {
                pay(&till, sum);
                tips.add(1);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    println!("{} {}", till.sum(), tips.sum());
}

//! Sums a list on several threads.

use std::thread;

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    println!("{}", sum(&numbers, 4));
}

fn sum(numbers: &[u64], threads: usize) -> u64 {
    let size = numbers.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> =
            numbers.chunks(size).map(|part| scope.spawn(move || part.iter().sum::<u64>())).collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    })
}

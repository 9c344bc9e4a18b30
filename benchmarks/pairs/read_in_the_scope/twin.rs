// An executable. Threads of a scope have ended behind it, not in it.
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

fn main() {
    let texts: Vec<String> = std::env::args().skip(1).filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let counts: Mutex<BTreeMap<char, usize>> = Mutex::default();
    thread::scope(|scope| {
        for text in &texts {
            let counts = &counts;
            scope.spawn(move || {
                for letter in text.chars() { *counts.lock().unwrap().entry(letter).or_default() += 1; }
            });
        }
    });
    println!("{:?}", counts.lock().unwrap().get(&'e'));
}

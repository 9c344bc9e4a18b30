//! Two threads have one number between them.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let totals: Arc<Mutex<HashMap<usize, u64>>> = Arc::default();
    for number in 0..4 {
        let totals = totals.clone();
        let half = number / 2;
        thread::spawn(move || {
            let before = totals.lock().unwrap().get(&half).copied().unwrap_or(0); //~
            totals.lock().unwrap().insert(half, before + 1); //~
        });
    }
}

//! Each thread works on the entry under its own number.
use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

type Totals = Arc<Mutex<HashMap<usize, u64>>>;

fn add(totals: &Totals, key: usize, by: u64) {
    let before = totals.lock().unwrap().get(&key).copied().unwrap_or(0);
    totals.lock().unwrap().insert(key, before + by);
}

fn main() {
    let totals = Totals::default();
    for number in 0..4 {
        let totals = totals.clone();
        thread::spawn(move || add(&totals, number, 1));
    }
    let sizes = Totals::default();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut number = 0;
    while listener.accept().is_ok() {
        number += 1;
        let sizes = sizes.clone();
        thread::spawn(move || {
            let before = sizes.lock().unwrap().get(&number).map_or(0, |size| *size);
            sizes.lock().unwrap().insert(number, before + 1);
        });
    }
}

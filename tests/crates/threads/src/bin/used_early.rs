//! What a thread makes is used before it is known to be there.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

type Prices = Arc<Mutex<HashMap<u32, u32>>>;

fn load(prices: &Prices) {
    let prices = prices.clone();
    thread::spawn(move || {
        prices.lock().unwrap().insert(1, 10);
    });
}

fn main() {
    let prices = Prices::default();
    load(&prices);
    println!("{:?}", prices.lock().unwrap().get(&1));
}

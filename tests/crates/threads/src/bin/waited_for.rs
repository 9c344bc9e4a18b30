//! Ways to wait for what a thread makes.
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::thread::JoinHandle;

type Prices = Arc<Mutex<HashMap<u32, u32>>>;

fn load(prices: &Prices, key: u32) -> JoinHandle<()> {
    let prices = prices.clone();
    thread::spawn(move || {
        prices.lock().unwrap().insert(key, 10);
    })
}

fn wait(loading: JoinHandle<()>) {
    loading.join().unwrap();
}

fn show(prices: &Prices, key: u32) {
    println!("{:?}", prices.lock().unwrap().get(&key));
}

fn joined() {
    let prices = Prices::default();
    wait(load(&prices, 1));
    show(&prices, 1);
}

fn told() {
    let prices = Prices::default();
    let (done, is_done) = mpsc::channel();
    let theirs = prices.clone();
    thread::spawn(move || {
        theirs.lock().unwrap().insert(2, 20);
        done.send(()).unwrap();
    });
    is_done.recv().unwrap();
    show(&prices, 2);
}

fn woken() {
    let prices = Arc::new((Prices::default(), Mutex::new(false), Condvar::new()));
    let theirs = prices.clone();
    thread::spawn(move || {
        theirs.0.lock().unwrap().insert(3, 30);
        *theirs.1.lock().unwrap() = true;
        theirs.2.notify_one();
    });
    let mut done = prices.1.lock().unwrap();
    while !*done {
        done = prices.2.wait(done).unwrap();
    }
    show(&prices.0, 3);
}

fn several() {
    let prices = Prices::default();
    let all: Vec<_> = (4..8).map(|key| load(&prices, key)).collect();
    all.into_iter().for_each(wait);
    show(&prices, 4);
}

fn main() {
    joined();
    told();
    woken();
    several();
}

//! Each waits for its future on a thread of its own: who has a lock over an await keeps the other one waiting, and goes on all the same.
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::sleep;

#[derive(Default)]
struct Wheel {
    turns: Mutex<u64>,
}

async fn turn(wheel: Arc<Wheel>) {
    loop {
        let mut turns = wheel.turns.lock().unwrap();
        sleep(Duration::from_millis(1)).await;
        *turns += 1;
    }
}

async fn show(wheel: Arc<Wheel>) {
    loop {
        println!("{}", wheel.turns.lock().unwrap());
        sleep(Duration::from_secs(1)).await;
    }
}

fn main() {
    let wheel = Arc::new(Wheel::default());
    let other = wheel.clone();
    let first = thread::spawn(move || Builder::new_current_thread().enable_all().build().unwrap().block_on(turn(wheel)));
    let second = thread::spawn(move || Builder::new_current_thread().enable_all().build().unwrap().block_on(show(other)));
    first.join().unwrap();
    second.join().unwrap();
}

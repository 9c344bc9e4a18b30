// An executable. Two threads of a simulation: what the other wrote may be read behind the barrier only.
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

struct Half { pressure: Mutex<f64> }

fn main() {
    let left = Arc::new(Half { pressure: Mutex::new(1.0) });
    let right = Arc::new(Half { pressure: Mutex::new(2.0) });
    let barrier = Arc::new(Barrier::new(2));
    let (l, r, b) = (left.clone(), right.clone(), barrier.clone());
    let other = thread::spawn(move || {
        let new = { let p = r.pressure.lock().unwrap(); *p * 0.9 };
        *r.pressure.lock().unwrap() = new; //~
        b.wait();
        let theirs = *l.pressure.lock().unwrap();
        println!("right sees {theirs}");
    });
    let theirs = *right.pressure.lock().unwrap(); //~
    *left.pressure.lock().unwrap() = theirs * 0.5 + 0.5;
    barrier.wait();
    println!("left sees {theirs}");
    other.join().unwrap();
}

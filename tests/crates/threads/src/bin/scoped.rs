//! Scoped threads borrow what they share.
use std::sync::Mutex;
use std::thread;

fn main() {
    let log = Mutex::new(Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let len = log.lock().unwrap().len();
            log.lock().unwrap().truncate(len / 2);
        });
        scope.spawn(|| log.lock().unwrap().push(1));
    });
    println!("{}", log.lock().unwrap().len());
}

//! Tasks that wait for one another; futures that are polled in turn; loops of `main`.
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

struct Stamp;

/// It is slow to go.
impl Drop for Stamp {
    fn drop(&mut self) {
        thread::sleep(Duration::from_millis(5)); //~ blocking-in-async
    }
}

type Job = Box<dyn FnOnce() + Send>;

async fn run(job: Job) {
    let _stamp = Stamp;
    job();
}

async fn announce(receiver: mpsc::Receiver<String>) {
    for line in receiver { //~ blocking-in-async
        println!("{line}");
    }
}

async fn steady() {
    loop {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn jerky() {
    thread::sleep(Duration::from_millis(10)); //~ blocking-in-async warn
}

async fn compute() -> u32 {
    let handle = thread::spawn(|| 42);
    handle.join().unwrap_or_default() //~ blocking-in-async
}

/// Once, on its own: nobody waits with it.
async fn prepare() {
    thread::sleep(Duration::from_millis(1));
}

#[tokio::main]
async fn main() {
    prepare().await;
    let (send, receive) = mpsc::channel();
    tokio::spawn(announce(receive));
    tokio::spawn(run(Box::new(|| thread::sleep(Duration::from_millis(5))))); //~ blocking-in-async
    tokio::spawn(compute());
    let _ = send.send("hello".to_owned());
    tokio::join!(steady(), jerky());
}

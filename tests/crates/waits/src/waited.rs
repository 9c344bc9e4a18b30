//! A join, and an answer, are waited for.
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

fn counted() -> usize {
    let words = Arc::new(Mutex::new(Vec::new()));
    let (done, is_done) = mpsc::channel::<()>();
    let found = words.clone();
    thread::spawn(move || {
        found.lock().unwrap().insert(0, "one");
        let _ = done.send(());
    });
    let _ = is_done.recv();
    words.lock().unwrap().len()
}

async fn asked() -> usize {
    let words = Arc::new(Mutex::new(Vec::new()));
    let (tell, told) = oneshot::channel::<()>();
    let found = words.clone();
    tokio::task::spawn_blocking(move || {
        found.lock().unwrap().insert(0, "two");
        let _ = tell.send(());
    });
    let _ = told.await;
    words.lock().unwrap().len()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words = Arc::new(Mutex::new(Vec::new()));
    let found = words.clone();
    let task = tokio::task::spawn_blocking(move || found.lock().unwrap().insert(0, "three"));
    tokio::time::sleep(Duration::from_millis(1)).await;
    let _ = task.await;
    println!("{:?} {} {}", words.lock().unwrap().first(), counted(), asked().await);
}

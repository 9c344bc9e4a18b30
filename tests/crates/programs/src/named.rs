//! A task whose function is given a text first.
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

async fn count(line: &'static str, total: Arc<Mutex<usize>>) {
    let before = *total.lock().unwrap(); //~
    *total.lock().unwrap() = before + line.len(); //~
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let total = Arc::new(Mutex::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    while listener.accept().await.is_ok() {
        tokio::spawn(count("hello", total.clone()));
    }
}

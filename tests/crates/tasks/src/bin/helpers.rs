//! What a task makes for two tasks of its own.
use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;

async fn greet(name: String) -> String {
    let line = Arc::new(Mutex::new(String::new()));
    let (one, other) = (line.clone(), line.clone());
    let plain = name.clone();
    let first = tokio::spawn(async move { *one.lock().unwrap() = plain }); //~
    let second = tokio::spawn(async move { *other.lock().unwrap() = name.to_uppercase() }); //~
    let _ = first.await;
    let _ = second.await;
    let line = line.lock().unwrap().clone();
    line
}

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    while let Ok((_stream, from)) = listener.accept().await {
        tokio::spawn(async move { println!("{}", greet(from.to_string()).await) });
    }
}

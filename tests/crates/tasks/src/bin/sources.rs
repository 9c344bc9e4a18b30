//! A round of `main`'s loop answers with what the later of two tasks has left; which one that is, nobody knows.
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Mutex;

async fn near(word: String) -> String {
    tokio::time::sleep(Duration::from_millis(1)).await;
    word.to_uppercase()
}

async fn translate(word: String) -> String {
    let found = Arc::new(Mutex::new(String::new()));
    let (one, other) = (found.clone(), found.clone());
    let plain = word.clone();
    let first = tokio::spawn(async move { *one.lock().await = plain }); //~
    let second = tokio::spawn(async move { *other.lock().await = near(word).await }); //~
    let _ = first.await;
    let _ = second.await;
    let found = found.lock().await.clone();
    found
}

/// Each task has its answer, and one of the two is preferred.
async fn translate_well(word: String) -> String {
    let plain = word.clone();
    let first = tokio::spawn(async move { plain });
    let second = tokio::spawn(async move { near(word).await });
    let (first, second) = (first.await.unwrap_or_default(), second.await.unwrap_or_default());
    if second.is_empty() { first } else { second }
}

/// The first one has ended before the second one begins.
async fn translate_in_turn(word: String) -> String {
    let found = Arc::new(Mutex::new(String::new()));
    let (one, other) = (found.clone(), found.clone());
    let plain = word.clone();
    let _ = tokio::spawn(async move { *one.lock().await = plain }).await;
    let _ = tokio::spawn(async move { *other.lock().await = near(word).await }).await;
    let found = found.lock().await.clone();
    found
}

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    while let Ok((_stream, from)) = listener.accept().await {
        println!("{}", translate(from.to_string()).await);
        println!("{}", translate_well(from.to_string()).await);
        println!("{}", translate_in_turn(from.to_string()).await);
    }
}

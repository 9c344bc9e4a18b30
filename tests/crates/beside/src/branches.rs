//! Futures that one task waits for at once: they take turns, and only where they wait.

use std::cell::Cell;
use std::sync::Mutex;

async fn add(sum: &Cell<u64>, by: u64) {
    let before = sum.get(); //~
    tokio::task::yield_now().await;
    sum.set(before + by); //~
}

/// Both may have read the same.
pub async fn sum(a: u64, b: u64) -> u64 {
    let sum = Cell::new(0);
    tokio::join!(add(&sum, a), add(&sum, b));
    sum.get()
}

async fn add_at_once(sum: &Cell<u64>, by: u64) {
    tokio::task::yield_now().await;
    sum.set(sum.get() + by);
}

/// Nothing comes in between.
pub async fn sum_at_once(a: u64, b: u64) -> u64 {
    let sum = Cell::new(0);
    tokio::join!(add_at_once(&sum, a), add_at_once(&sum, b));
    sum.get()
}

async fn note(longest: &Mutex<String>, word: String) {
    let is_longer = longest.lock().unwrap().len() < word.len(); //~
    if is_longer {
        tokio::task::yield_now().await;
        *longest.lock().unwrap() = word; //~
    }
}

/// A longer word may be overwritten.
pub async fn longest(words: Vec<String>) -> String {
    let longest = Mutex::new(String::new());
    futures::future::join_all(words.into_iter().map(|word| note(&longest, word))).await;
    longest.into_inner().unwrap()
}

async fn note_at_once(longest: &Mutex<String>, word: String) {
    tokio::task::yield_now().await;
    let mut longest = longest.lock().unwrap();
    if longest.len() < word.len() {
        *longest = word;
    }
}

/// Looks and stores under one guard.
pub async fn longest_at_once(words: Vec<String>) -> String {
    let longest = Mutex::new(String::new());
    futures::future::join_all(words.into_iter().map(|word| note_at_once(&longest, word))).await;
    longest.into_inner().unwrap()
}

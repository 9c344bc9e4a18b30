//! Tasks that a call starts in a loop.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;

/// Each adds to what it has read, whatever was added meanwhile.
pub async fn sizes(pages: Vec<String>) -> u64 {
    let total = Arc::new(Mutex::new(0));
    let mut downloads = JoinSet::new();
    for page in pages {
        let total = Arc::clone(&total);
        downloads.spawn(async move {
            let before: u64 = *total.lock().unwrap(); //~
            tokio::task::yield_now().await;
            *total.lock().unwrap() = before + page.len() as u64; //~
        });
    }
    while downloads.join_next().await.is_some() {}
    Arc::into_inner(total).unwrap().into_inner().unwrap()
}

/// Each adds in one step.
pub async fn sizes_at_once(pages: Vec<String>) -> u64 {
    let total = Arc::new(Mutex::new(0));
    let mut downloads = JoinSet::new();
    for page in pages {
        let total = Arc::clone(&total);
        downloads.spawn(async move {
            tokio::task::yield_now().await;
            *total.lock().unwrap() += page.len() as u64;
        });
    }
    while downloads.join_next().await.is_some() {}
    Arc::into_inner(total).unwrap().into_inner().unwrap()
}

/// Two threads may both find a word to be new.
pub fn first_lines(texts: &[String]) -> HashMap<String, usize> {
    let words = Mutex::new(HashMap::new());
    std::thread::scope(|scope| {
        for text in texts {
            let words = &words;
            scope.spawn(move || {
                for (number, word) in text.lines().enumerate() {
                    let known: bool = words.lock().unwrap().contains_key(word); //~
                    if !known {
                        words.lock().unwrap().insert(word.to_owned(), number); //~
                    }
                }
            });
        }
    });
    words.into_inner().unwrap()
}

/// Looks and enters under one guard.
pub fn first_lines_at_once(texts: &[String]) -> HashMap<String, usize> {
    let words = Mutex::new(HashMap::new());
    std::thread::scope(|scope| {
        for text in texts {
            let words = &words;
            scope.spawn(move || {
                for (number, word) in text.lines().enumerate() {
                    words.lock().unwrap().entry(word.to_owned()).or_insert(number);
                }
            });
        }
    });
    words.into_inner().unwrap()
}

/// Each round has a counter of its own.
pub fn lengths(texts: &[String]) -> Vec<u64> {
    let mut all = Vec::new();
    for text in texts {
        let length = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let before = length.load(SeqCst);
                length.store(before + text.len() as u64, SeqCst);
            });
        });
        all.push(length.into_inner());
    }
    all
}

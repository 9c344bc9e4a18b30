// An executable. One of two tasks has ended when one has been joined.
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

#[derive(Default)]
struct Totals { lines: usize, words: usize }

async fn count(path: &'static str, totals: Arc<Mutex<Totals>>) {
    let text = tokio::fs::read_to_string(path).await.unwrap_or_default();
    let mut totals = totals.lock().unwrap();
    totals.lines += text.lines().count();
    totals.words += text.split_whitespace().count();
}

#[tokio::main]
async fn main() {
    let totals = Arc::new(Mutex::new(Totals::default()));
    let mut tasks = JoinSet::new();
    tasks.spawn(count("/etc/hosts", totals.clone()));
    tasks.spawn(count("/etc/passwd", totals.clone()));
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended { eprintln!("{error}"); }
    }
    let totals = totals.lock().unwrap();
    println!("{} {}", totals.lines, totals.words);
    drop(totals);
    tasks.detach_all();
}

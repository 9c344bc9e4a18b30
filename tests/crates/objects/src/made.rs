//! What an event makes is its own, and that of the tasks that it starts.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

pub fn starts_too_early() {
    let ready = Arc::new(Mutex::new(String::new()));
    let theirs = ready.clone();
    thread::spawn(move || println!("{}", theirs.lock().unwrap())); //~
    *ready.lock().unwrap() = "ready".to_owned(); //~
}

pub fn starts_in_time() {
    let ready = Arc::new(Mutex::new(String::new()));
    *ready.lock().unwrap() = "ready".to_owned();
    let theirs = ready.clone();
    thread::spawn(move || println!("{}", theirs.lock().unwrap()));
}

/// All have ended where it looks.
pub fn adds_up(parts: Vec<u32>) -> u32 {
    let sum = Arc::new(AtomicU32::new(0));
    let mut tasks = Vec::new();
    for part in parts {
        let sum = sum.clone();
        tasks.push(thread::spawn(move || sum.fetch_add(part, Ordering::SeqCst)));
    }
    for task in tasks {
        task.join().unwrap();
    }
    sum.load(Ordering::SeqCst)
}

/// Each call has its own.
pub fn scratch(text: &str) -> usize {
    let found = Mutex::new(Vec::new());
    let before = found.lock().unwrap().len();
    found.lock().unwrap().push(text.len());
    before
}

/// A line that a caller opens, and others find by its number.
pub struct Line {
    fill: Mutex<usize>,
    text: Mutex<String>,
}

#[derive(Default)]
pub struct Lines {
    by_number: Mutex<HashMap<u64, Arc<Line>>>,
}

impl Lines {
    /// Each call fills the line that it has made: even if two have one number, these are two lines.
    pub fn open(&self, number: u64, fill: usize) {
        let line = Arc::new(Line { fill: Mutex::new(0), text: Mutex::default() });
        self.by_number.lock().unwrap().insert(number, line.clone());
        if *line.fill.lock().unwrap() == 0 {
            *line.fill.lock().unwrap() = fill;
        }
    }
}

#[derive(Default)]
pub struct Kept {
    by_number: Mutex<HashMap<u64, Arc<Line>>>,
}

impl Kept {
    /// Whoever comes second gets the line of the first.
    pub fn open(&self, number: u64, text: &str) {
        let made = Arc::new(Line { fill: Mutex::new(0), text: Mutex::default() });
        let line = self.by_number.lock().unwrap().entry(number).or_insert(made).clone();
        if line.text.lock().unwrap().is_empty() { //~
            line.text.lock().unwrap().push_str(text); //~
        }
    }
}

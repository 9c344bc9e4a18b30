//! Locks that may not be there: one found by `Option::map` is held where the result is `Some`, and whether there is one is
//! another matter than what it guards.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Guests {
    names: Option<Arc<Mutex<Vec<String>>>>,
}

impl Guests {
    pub fn new() -> Self {
        Guests { names: Some(Arc::default()) }
    }

    /// One section.
    pub fn add(&self, name: &str) {
        if let Some(mut names) = self.names.as_ref().map(|names| names.lock().unwrap())
            && !names.iter().any(|known| known == name) //~
        {
            names.push(name.to_owned()); //~
        }
    }

    /// Two.
    pub fn add_late(&self, name: &str) {
        let known = self.names.as_ref().map(|names| names.lock().unwrap().iter().any(|known| known == name)); //~
        if known == Some(false)
            && let Some(mut names) = self.names.as_ref().map(|names| names.lock().unwrap())
        {
            names.push(name.to_owned()); //~
        }
    }
}

pub struct Tally {
    counts: Option<Mutex<HashMap<String, u64>>>,
}

impl Tally {
    pub fn new(counting: bool) -> Self {
        Tally { counts: counting.then(Mutex::default) }
    }

    pub fn count(&self, what: &str) {
        if let Some(counts) = &self.counts {
            let mut counts = counts.lock().unwrap();
            *counts.entry(what.to_owned()).or_insert(0) += 1;
            if counts.len() > 100 {
                counts.clear();
            }
        }
    }

    pub fn all(&self) -> Vec<u64> {
        self.counts.as_ref().map(|counts| counts.lock().unwrap().values().copied().collect()).unwrap_or_default()
    }
}

/// Cleared by whoever lets go of it last.
pub struct Board(Vec<u32>);

impl Drop for Board {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

pub fn write_down(lines: Vec<u32>) {
    let board = Arc::new(Mutex::new(Board(Vec::new())));
    for line in lines {
        let board = board.clone();
        std::thread::spawn(move || {
            let mut board = board.lock().unwrap();
            if !board.0.contains(&line) {
                board.0.push(line);
            }
        });
    }
}

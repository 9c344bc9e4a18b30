//! How often each word was said.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct Words {
    counts: Mutex<HashMap<String, u64>>,
}

impl Words {
    pub fn say(&self, text: &str) {
        let mut counts = self.counts.lock().unwrap();
        for word in text.split_whitespace() {
            *counts.entry(word.to_owned()).or_insert(0) += 1;
        }
    }

    pub fn top(&self, size: usize) -> Vec<(String, u64)> {
        let counts = self.counts.lock().unwrap();
        let mut all: Vec<_> = counts.iter().map(|(word, count)| (word.clone(), *count)).collect();
        drop(counts);
        all.sort_by(|a, b| b.1.cmp(&a.1));
        all.truncate(size);
        all
    }
}

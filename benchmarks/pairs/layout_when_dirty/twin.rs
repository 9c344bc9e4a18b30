// The layout is computed anew when something has changed; what changes while it is computed must not be forgotten.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;

#[derive(Default)]
pub struct Page { words: Mutex<Vec<String>>, lines: Mutex<Vec<usize>>, dirty: AtomicBool }

impl Page {
    pub fn add(&self, word: &str) {
        self.words.lock().unwrap().push(word.to_string());
        self.dirty.store(true, Ordering::SeqCst);
    }
    pub fn lines(&self) -> Vec<usize> {
        let mut lines = self.lines.lock().unwrap();
        if self.dirty.swap(false, Ordering::SeqCst) {
            *lines = self.words.lock().unwrap().iter().map(|w| w.len()).collect();
        }
        lines.clone()
    }
}

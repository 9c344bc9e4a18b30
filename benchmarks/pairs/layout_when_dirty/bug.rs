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
        if self.dirty.load(Ordering::SeqCst) { //~
            let widths: Vec<usize> = self.words.lock().unwrap().iter().map(|w| w.len()).collect(); //~
            *self.lines.lock().unwrap() = widths;
            self.dirty.store(false, Ordering::SeqCst); //~
        }
        self.lines.lock().unwrap().clone()
    }
}

// The guard lives in a struct for as long as the editing lasts; or each method locks for itself.
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct Text { text: String, cursor: usize }

#[derive(Default)]
pub struct Document { inner: Mutex<Text> }

pub struct Editing<'a> { text: MutexGuard<'a, Text> }
impl Document {
    pub fn edit(&self) -> Editing<'_> { Editing { text: self.inner.lock().unwrap() } }
}
impl Editing<'_> {
    pub fn insert(&mut self, what: &str) {
        let at = self.text.cursor;
        self.text.text.insert_str(at, what);
        self.text.cursor = at + what.len();
    }
    pub fn clear(&mut self) { self.text.text.clear(); self.text.cursor = 0; }
}
impl Document {
    pub fn text(&self) -> String { self.inner.lock().unwrap().text.clone() }
}

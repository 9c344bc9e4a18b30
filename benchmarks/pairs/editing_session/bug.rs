// The guard lives in a struct for as long as the editing lasts; or each method locks for itself.
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct Text { text: String, cursor: usize }

#[derive(Default)]
pub struct Document { inner: Mutex<Text> }

pub struct Editing<'a> { document: &'a Document }
impl Document {
    pub fn edit(&self) -> Editing<'_> { Editing { document: self } }
    fn lock(&self) -> MutexGuard<'_, Text> { self.inner.lock().unwrap() }
}
impl Editing<'_> {
    pub fn insert(&mut self, what: &str) {
        let at = self.document.lock().cursor; //~
        self.document.lock().text.insert_str(at, what); //~
        self.document.lock().cursor = at + what.len();
    }
    pub fn clear(&mut self) { let mut text = self.document.lock(); text.text.clear(); text.cursor = 0; }
}
impl Document {
    pub fn text(&self) -> String { self.inner.lock().unwrap().text.clone() }
}

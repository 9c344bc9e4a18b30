//! What is read together is written under two locks of the same mutex.
use std::sync::{Mutex, MutexGuard};
#[derive(Default)]
struct Window { title: String, pages: usize, page: usize }
#[derive(Default)]
pub struct Viewer { window: Mutex<Window> }
impl Viewer {
    fn window(&self) -> MutexGuard<'_, Window> { self.window.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) }
    pub fn open(&self, title: &str, pages: usize) {
        self.window().title = title.to_string(); //~
        self.window().pages = pages; //~
        self.window().page = 0; //~
    }
    pub fn caption(&self) -> String {
        let window = self.window();
        format!("{} ({} of {})", window.title, window.page + 1, window.pages) //~
    }
    pub fn turn(&self) { let mut w = self.window(); if w.page + 1 < w.pages { w.page += 1; } }
}

//! A news reader, after the third motivating program of the ESOP 2017 paper (a reconstruction from its description): a search runs
//! in the background, the word is saved meanwhile, and details can be opened once the list is shown.

mod background;

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Reader {
    headline: Mutex<String>,
    list: Mutex<Vec<String>>,
    shown: AtomicBool,
    saved: Mutex<String>,
    details: Mutex<String>,
}

impl Reader {
    /// Searches for `word`; comes once.
    pub fn on_search(self: Arc<Self>, word: String) {
        *self.headline.lock().unwrap() = format!("News on {word}");
        let (saver, saved) = (self.clone(), word.clone());
        background::run(move || download(&word), move |titles| self.show(titles));
        background::run(move || saver.save(saved), |()| {});
    }

    fn show(&self, titles: Vec<String>) {
        *self.list.lock().unwrap() = titles;
        self.shown.store(true, SeqCst);
    }

    fn save(&self, word: String) {
        *self.saved.lock().unwrap() = word;
    }

    /// Opens a title of the list; can only come while the list is shown.
    pub fn on_open(self: Arc<Self>, index: usize) {
        let headline = self.headline.lock().unwrap().clone();
        let title = self.list.lock().unwrap().get(index).cloned().unwrap_or_default();
        background::run(
            move || download(&format!("{headline}: {title}")),
            move |text| *self.details.lock().unwrap() = text.concat(),
        );
    }

    /// Whether details can be opened.
    pub fn is_shown(&self) -> bool {
        self.shown.load(SeqCst)
    }

    /// What was searched for last.
    pub fn saved(&self) -> String {
        self.saved.lock().unwrap().clone()
    }

    /// The details that are shown.
    pub fn details(&self) -> String {
        self.details.lock().unwrap().clone()
    }
}

fn download(word: &str) -> Vec<String> {
    (0..3).map(|number| format!("{word} {number}")).collect()
}

//! The activity in which books are searched for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use crate::{background, Application, Book, SearchState};

pub struct BookSearch {
    application: Arc<Application>,
    input: Mutex<String>,
    position: AtomicUsize,
    selector: AtomicUsize,
    current_term: Mutex<String>,
    previous_term: Mutex<String>,
    results: Mutex<Vec<Book>>,
    may_continue: AtomicBool,
}

impl BookSearch {
    pub fn new(application: Arc<Application>) -> Self {
        BookSearch {
            application,
            input: Mutex::default(),
            position: AtomicUsize::new(0),
            selector: AtomicUsize::new(0),
            current_term: Mutex::default(),
            previous_term: Mutex::default(),
            results: Mutex::default(),
            may_continue: AtomicBool::new(false),
        }
    }

    /// The user types a term.
    pub fn on_type(self: Arc<Self>, term: &str) {
        *self.input.lock().unwrap() = term.to_owned();
    }

    /// The button "search".
    pub fn on_search(self: Arc<Self>) {
        let term = self.input.lock().unwrap().clone();
        if term.is_empty() {
            return;
        }
        self.position.store(0, SeqCst);
        self.selector.store(0, SeqCst);
        self.previous_term.lock().unwrap().clear();
        self.results.lock().unwrap().clear();
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.search(term), move |books| ui.found(books));
    }

    /// In the background.
    fn search(&self, term: String) -> Vec<Book> {
        let before = self.current_term.lock().unwrap().clone();
        *self.previous_term.lock().unwrap() = before;
        *self.current_term.lock().unwrap() = term.clone();
        (1..4).map(|id| Book { id, title: term.clone(), authors: String::new() }).collect()
    }

    /// Back on the UI thread.
    fn found(&self, books: Vec<Book>) {
        let same = *self.previous_term.lock().unwrap() == *self.current_term.lock().unwrap();
        let mut results = self.results.lock().unwrap();
        if !same {
            results.clear();
        }
        results.extend(books);
        self.position.store(results.len() + 1, SeqCst);
        self.may_continue.store(true, SeqCst);
    }

    /// Back navigation: what was searched for is kept for the next time.
    pub fn on_back_pressed(self: Arc<Self>) {
        let position = self.position.load(SeqCst);
        let term = self.current_term.lock().unwrap().clone();
        let selector = self.selector.load(SeqCst);
        let books = self.results.lock().unwrap().clone();
        *self.application.search_state.lock().unwrap() = SearchState { position, selector, term, books };
    }
}

//! A list of books, after the application `bookworm` of the ESOP 2017 artifact: its handlers, the background tasks behind them, the
//! fields they share and the order in which they touch them. Displays, network and database are one access each; progress
//! dialogs are left out.

mod background;
pub mod form;
pub mod search;

use std::sync::Mutex;

#[derive(Clone, Debug, Default)]
pub struct Book {
    pub id: i64,
    pub title: String,
    pub authors: String,
}

/// What a search leaves behind when its activity goes.
#[derive(Clone, Debug, Default)]
pub struct SearchState {
    pub position: usize,
    pub selector: usize,
    pub term: String,
    pub books: Vec<Book>,
}

/// What the activities share.
#[derive(Default)]
pub struct Application {
    pub selected: Mutex<Option<Book>>,
    pub search_state: Mutex<SearchState>,
    pub covers: Mutex<Vec<i64>>,
    pub books: Mutex<Vec<Book>>,
}

impl Application {
    /// Selects the stored book of that number.
    pub fn establish_selected(&self, id: i64) {
        let book = self.books.lock().unwrap().iter().find(|book| book.id == id).cloned();
        *self.selected.lock().unwrap() = book;
    }
}

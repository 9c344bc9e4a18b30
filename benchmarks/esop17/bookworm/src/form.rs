//! The activity in which a book is edited.

use std::sync::{Arc, Mutex};

use crate::{background, Application, Book};

pub struct BookForm {
    application: Arc<Application>,
    title: Mutex<Option<String>>,
    authors: Mutex<String>,
}

impl BookForm {
    pub fn new(application: Arc<Application>) -> Self {
        BookForm { application, title: Mutex::new(Some(String::new())), authors: Mutex::default() }
    }

    /// The user types a title.
    pub fn on_type_title(self: Arc<Self>, text: &str) {
        if let Some(title) = self.title.lock().unwrap().as_mut() {
            *title = text.to_owned();
        }
    }

    /// The user types the names of the authors.
    pub fn on_type_authors(self: Arc<Self>, text: &str) {
        *self.authors.lock().unwrap() = text.to_owned();
    }

    /// The button "save". The artifact's database is a stub that gives a new book no number: nothing is selected, and all
    /// that is shown is that it could not be saved.
    pub fn on_save(self: Arc<Self>) {
        if let Some(book) = self.edited() {
            background::run(move || self.insert_nothing(&book), show_result);
        }
    }

    /// The button "save" in front of a database that works.
    pub fn on_save_stored(self: Arc<Self>) {
        if let Some(book) = self.edited() {
            let (worker, ui) = (self.clone(), self);
            background::run(move || worker.store(book), move |is_new| ui.stored(is_new));
        }
    }

    /// What the form says, once there is a title and an author.
    fn edited(&self) -> Option<Book> {
        let title = self.title.lock().unwrap().clone()?;
        let authors = self.authors.lock().unwrap().clone();
        if title.is_empty() || authors.is_empty() {
            return None;
        }
        let id = self.application.selected.lock().unwrap().as_ref().map_or(0, |book| book.id);
        Some(Book { id, title, authors })
    }

    fn insert_nothing(&self, book: &Book) -> bool {
        let books = self.application.books.lock().unwrap();
        books.iter().any(|other| other.id == book.id && book.id > 0)
    }

    /// In the background; whether the book is new.
    fn store(&self, mut book: Book) -> bool {
        let is_new = book.id == 0;
        {
            let mut books = self.application.books.lock().unwrap();
            if is_new {
                book.id = books.len() as i64 + 1;
            }
            books.retain(|other| other.id != book.id);
            books.push(book.clone());
        }
        self.application.establish_selected(book.id);
        if is_new {
            self.application.covers.lock().unwrap().push(book.id);
        }
        is_new
    }

    /// Back on the UI thread: shows what was stored.
    fn stored(&self, is_new: bool) {
        if !is_new {
            return;
        }
        let Some(book) = self.application.selected.lock().unwrap().clone() else { return };
        *self.title.lock().unwrap().as_mut().expect("the form is shown") = book.title;
        *self.authors.lock().unwrap() = book.authors;
    }

    /// The button that draws a cover.
    pub fn on_generate_cover(self: Arc<Self>) {
        let Some(book) = self.application.selected.lock().unwrap().clone() else { return };
        background::run(move || self.add_cover(&book), show_result);
    }

    /// The button that looks for a cover.
    pub fn on_retrieve_cover(self: Arc<Self>) {
        let Some(book) = self.application.selected.lock().unwrap().clone() else { return };
        background::run(move || self.add_cover(&book), show_result);
    }

    fn add_cover(&self, book: &Book) -> bool {
        let known = book.id > 0;
        if known {
            self.application.covers.lock().unwrap().push(book.id);
        }
        known
    }

    /// Back navigation: the form is taken apart.
    pub fn on_back_pressed(self: Arc<Self>) {
        *self.title.lock().unwrap() = None;
    }
}

fn show_result(done: bool) {
    println!("{}", if done { "updated" } else { "not updated" });
}

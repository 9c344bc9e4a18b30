//! Who made sure that there is an entry finds it as long as others do no more than that.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// Visits of each page; a page is counted from its first visit on, for ever.
#[derive(Default)]
pub struct Visits {
    pages: Mutex<HashMap<String, Arc<AtomicU64>>>,
}

impl Visits {
    fn of(&self, page: &str) -> Arc<AtomicU64> {
        let mut pages = self.pages.lock().unwrap();
        pages.entry(page.to_owned()).or_default();
        Arc::clone(pages.get(page).unwrap())
    }

    pub fn visit(&self, page: &str) {
        self.of(page).fetch_add(1, SeqCst);
    }

    pub fn count(&self, page: &str) -> u64 {
        self.of(page).load(SeqCst)
    }
}

/// The same, but nobody makes sure of anything: who finds no page makes one, in place of another one's.
#[derive(Default)]
pub struct Wiki {
    pages: Mutex<HashMap<String, Arc<AtomicU64>>>,
}

impl Wiki {
    pub fn edit(&self, page: &str) {
        let found = self.pages.lock().unwrap().get(page).cloned(); //~
        let edits = match found {
            Some(edits) => edits,
            None => {
                let edits = Arc::new(AtomicU64::new(0));
                self.pages.lock().unwrap().insert(page.to_owned(), Arc::clone(&edits)); //~
                edits
            }
        };
        edits.fetch_add(1, SeqCst);
    }
}

/// Drafts are thrown away: who made sure that there is one may not find it.
#[derive(Default)]
pub struct Drafts {
    pages: Mutex<HashMap<String, u64>>,
}

impl Drafts {
    pub fn open(&self, page: &str) -> u64 {
        self.pages.lock().unwrap().entry(page.to_owned()).or_insert(1); //~
        *self.pages.lock().unwrap().get(page).unwrap() //~
    }

    pub fn discard(&self, page: &str) {
        self.pages.lock().unwrap().remove(page); //~
    }
}

/// Who does not find it goes on without.
#[derive(Default)]
pub struct Scraps {
    pages: Mutex<HashMap<String, u64>>,
}

impl Scraps {
    pub fn open(&self, page: &str) -> u64 {
        self.pages.lock().unwrap().entry(page.to_owned()).or_insert(1);
        self.pages.lock().unwrap().get(page).copied().unwrap_or(1)
    }

    pub fn discard(&self, page: &str) {
        self.pages.lock().unwrap().remove(page);
    }
}

/// It asks for another one than it has made sure of.
#[derive(Default)]
pub struct Chapters {
    pages: Mutex<HashMap<String, u64>>,
}

impl Chapters {
    pub fn open(&self, page: &str) -> u64 {
        *self.pages.lock().unwrap().entry(page.to_owned()).or_insert(1)
    }

    pub fn first(&self) -> u64 {
        *self.pages.lock().unwrap().get("first").unwrap()
    }
}

/// Nobody takes out what there is, however many make sure of it.
#[derive(Default)]
pub struct Shelves {
    books: Mutex<HashMap<String, u64>>,
}

impl Shelves {
    pub fn open(&self, book: &str) -> u64 {
        self.books.lock().unwrap().entry(book.to_owned()).or_insert(1);
        *self.books.lock().unwrap().get(book).unwrap()
    }
}

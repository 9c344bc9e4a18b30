//! Who has a value with a guard in it has the lock that the guard is of, whichever of those it is that were made in several places.

use std::sync::{Arc, Mutex, MutexGuard};

struct Shelf {
    books: Box<[Mutex<Vec<u64>>]>,
    read: Box<[Mutex<Vec<u64>>]>,
}

impl Shelf {
    fn new(many: usize) -> Shelf {
        let empty = || (0..many).map(|_| Mutex::new(Vec::new())).collect();
        Shelf { books: empty(), read: empty() }
    }

    fn open(&self, at: usize) -> Open<'_> {
        Open { books: self.books[at].lock().unwrap() }
    }

    fn put(&self, at: usize, book: u64) -> bool {
        let mut books = self.books[at].lock().unwrap();
        let known = books.contains(&book);
        if !known {
            books.push(book);
        }
        known
    }

    /// The lock is another one in between.
    fn read(&self, at: usize, book: u64) -> bool {
        let known = self.read[at].lock().unwrap().contains(&book); //~
        if !known {
            self.read[at].lock().unwrap().push(book); //~
        }
        known
    }
}

/// A part of a shelf, to whoever has it alone.
pub struct Open<'a> {
    books: MutexGuard<'a, Vec<u64>>,
}

impl Open<'_> {
    pub fn clear(&mut self) {
        self.books.clear();
    }

    pub fn add(&mut self, book: u64) {
        self.books.push(book);
    }
}

pub struct Library {
    shelf: Arc<Shelf>,
}

impl Library {
    pub fn new(many: usize) -> Library {
        Library { shelf: Arc::new(Shelf::new(many)) }
    }

    pub fn with_spare(many: usize) -> Library {
        Library { shelf: Arc::new(Shelf::new(many + 1)) }
    }

    pub fn put(&self, book: u64) -> bool {
        self.shelf.put(0, book)
    }

    pub fn read(&self, book: u64) -> bool {
        self.shelf.read(0, book)
    }

    pub fn open(&self) -> Open<'_> {
        self.shelf.open(0)
    }
}

impl Clone for Library {
    fn clone(&self) -> Library {
        Library { shelf: self.shelf.clone() }
    }
}

pub struct Branches {
    town: Library,
    village: Library,
}

impl Branches {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Branches {
        Branches { town: Library::new(1), village: Library::with_spare(4) }
    }

    fn branch(&self, book: u64) -> &Library {
        if book > 3 { &self.town } else { &self.village }
    }

    pub fn put(&self, book: u64) -> bool {
        self.branch(book).put(book)
    }

    pub fn open(&self, book: u64) -> Open<'_> {
        self.branch(book).open()
    }
}

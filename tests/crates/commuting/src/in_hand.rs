//! Entries that are taken out, used, and put back: whoever finds one meanwhile has found another one. Who removes it for good finds none, and
//! then it is there again.

use std::collections::HashMap;
use std::sync::Mutex;

type Books = Mutex<HashMap<u64, Vec<String>>>;

/// All take a book out, and put it back.
#[derive(Default)]
pub struct ReadingRoom {
    books: Books,
}

impl ReadingRoom {
    pub fn read(&self, id: u64, note: String) {
        let Some(mut book) = self.books.lock().unwrap().remove(&id) else { return };
        book.push(note);
        self.books.lock().unwrap().insert(id, book);
    }

    pub fn clean(&self, id: u64) -> bool {
        let Some(mut book) = self.books.lock().unwrap().remove(&id) else { return false };
        book.clear();
        self.books.lock().unwrap().insert(id, book);
        true
    }
}

/// Books are given away, too: one that is in hand meanwhile comes back.
#[derive(Default)]
pub struct Clearance {
    books: Books,
}

impl Clearance {
    pub fn read(&self, id: u64, note: String) {
        let Some(mut book) = self.books.lock().unwrap().remove(&id) else { return }; //~
        book.push(note);
        self.books.lock().unwrap().insert(id, book); //~
    }

    pub fn give_away(&self, id: u64) -> bool {
        self.books.lock().unwrap().remove(&id).is_some() //~
    }
}

/// So it is where nobody asks whether it was there.
#[derive(Default)]
pub struct Cellar {
    books: Books,
}

impl Cellar {
    pub fn read(&self, id: u64, note: String) {
        let Some(mut book) = self.books.lock().unwrap().remove(&id) else { return }; //~
        book.push(note);
        self.books.lock().unwrap().insert(id, book); //~
    }

    pub fn throw_away(&self, id: u64) {
        self.books.lock().unwrap().remove(&id); //~
    }
}

/// Books are replaced by new ones: one that is in hand meanwhile takes the place of the new one.
#[derive(Default)]
pub struct Renewal {
    books: Books,
}

impl Renewal {
    pub fn read(&self, id: u64, note: String) {
        let Some(mut book) = self.books.lock().unwrap().remove(&id) else { return }; //~
        book.push(note);
        self.books.lock().unwrap().insert(id, book); //~
    }

    pub fn renew(&self, id: u64) {
        self.books.lock().unwrap().insert(id, Vec::new()); //~
    }
}

/// Where there is none, one is made: two work on two, and one of both is lost.
#[derive(Default)]
pub struct Notebooks {
    books: Books,
}

impl Notebooks {
    pub fn note(&self, id: u64, note: String) {
        let mut book = self.books.lock().unwrap().remove(&id).unwrap_or_default(); //~
        book.push(note);
        self.books.lock().unwrap().insert(id, book); //~
    }
}

//! Guards that go into a function that nobody knows, which can give them to the closure beside them, once.

use std::collections::HashMap;
use std::sync::Mutex;

use tap::Pipe;

#[derive(Default)]
struct Shelf {
    books: HashMap<u64, String>,
    count: usize,
}

#[derive(Default)]
pub struct Library {
    shelves: Vec<Mutex<Shelf>>,
    desk: Mutex<Shelf>,
}

impl Shelf {
    fn put(&mut self, id: u64, title: String) {
        if self.count < 100 && self.books.insert(id, title).is_none() {
            self.count += 1;
        }
    }
}

impl Library {
    pub fn put(&self, id: u64, title: String) {
        self.shelves[id as usize % self.shelves.len()].lock().unwrap().pipe(|mut shelf| shelf.put(id, title));
    }

    pub fn take(&self, id: u64) -> Option<String> {
        self.shelves[id as usize % self.shelves.len()].lock().unwrap().pipe(|mut shelf| {
            let book = shelf.books.remove(&id);
            if book.is_some() {
                shelf.count -= 1;
            }
            book
        })
    }

    /// Looks in one section and puts in another one.
    pub fn put_on_desk(&self, id: u64, title: String) {
        if self.desk.lock().unwrap().pipe(|desk| desk.count < 100) { //~
            self.desk.lock().unwrap().pipe(|mut desk| {
                if desk.books.insert(id, title).is_none() {
                    desk.count += 1; //~
                }
            });
        }
    }
}

//! What comes back to where it was lent from: through a weak pointer in a wrapper of one's own, and functions of libraries that
//! are given to others to call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

struct Shelf {
    free: HashMap<u32, Vec<String>>,
    lent: HashMap<u32, u32>,
}

impl Shelf {
    fn put(&mut self, room: u32, book: String) {
        if self.lent.contains_key(&room) {
            self.lent.remove(&room);
        }
        match self.free.get_mut(&room) {
            Some(books) => books.push(book),
            None => drop(self.free.insert(room, vec![book])),
        }
    }
}

/// May be nothing.
struct Back<T>(Option<Weak<T>>);

impl<T> Back<T> {
    fn to(owner: &Arc<T>) -> Self {
        Back(Some(Arc::downgrade(owner)))
    }

    fn get(&self) -> Option<Arc<T>> {
        self.0.as_ref().and_then(Weak::upgrade)
    }
}

/// All that happens to the shelf happens under its lock.
pub struct Library {
    shelf: Arc<Mutex<Shelf>>,
}

pub struct Lease {
    room: u32,
    book: Option<String>,
    back: Back<Mutex<Shelf>>,
}

impl Library {
    pub fn open() -> Self {
        Library { shelf: Arc::new(Mutex::new(Shelf { free: HashMap::new(), lent: HashMap::new() })) }
    }

    pub fn lend(&self, room: u32) -> Lease {
        let book = {
            let mut shelf = self.shelf.lock().unwrap();
            *shelf.lent.entry(room).or_insert(0) += 1;
            shelf.free.get_mut(&room).and_then(Vec::pop)
        };
        Lease { room, book, back: Back::to(&self.shelf) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(book) = self.book.take()
            && let Some(shelf) = self.back.get()
        {
            shelf.lock().unwrap().put(self.room, book);
        }
    }
}

/// The lock is let go of between the look and what is done because of it.
pub struct Cloakroom {
    hooks: Arc<Mutex<HashMap<u32, String>>>,
}

pub struct Ticket {
    number: u32,
    back: Back<Mutex<HashMap<u32, String>>>,
}

impl Cloakroom {
    pub fn open() -> Self {
        Cloakroom { hooks: Arc::new(Mutex::new(HashMap::new())) }
    }

    pub fn ticket(&self, number: u32) -> Ticket {
        Ticket { number, back: Back::to(&self.hooks) }
    }
}

impl Ticket {
    pub fn hang(&self, coat: &str) -> bool {
        let Some(hooks) = self.back.get() else { return false };
        if hooks.lock().unwrap().contains_key(&self.number) { //~
            return false;
        }
        hooks.lock().unwrap().insert(self.number, coat.to_owned()); //~
        true
    }
}

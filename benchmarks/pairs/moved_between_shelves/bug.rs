// A book is on one shelf or the other; between two sections it is on none.
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Clone, Debug, PartialEq)]
pub struct Book { pub title: String, pub lent: u32 }

#[derive(Default)]
struct Shelves { here: BTreeMap<u32, Book>, out: BTreeMap<u32, Book> }

#[derive(Default)]
pub struct Library { shelves: Mutex<Shelves> }

impl Library {
    pub fn buy(&self, id: u32, title: &str) {
        self.shelves.lock().unwrap().here.insert(id, Book { title: title.into(), lent: 0 });
    }
    pub fn lend(&self, id: u32) -> bool {
        let Some(mut book) = self.shelves.lock().unwrap().here.remove(&id) else { return false }; //~
        book.lent += 1;
        self.shelves.lock().unwrap().out.insert(id, book); //~
        true
    }
    pub fn owned(&self) -> usize {
        let shelves = self.shelves.lock().unwrap();
        shelves.here.len() + shelves.out.len()
    }
    pub fn title(&self, id: u32) -> Option<String> {
        let shelves = self.shelves.lock().unwrap();
        shelves.here.get(&id).or_else(|| shelves.out.get(&id)).map(|b| b.title.clone())
    }
}

//! Tables whose entries are found under their hash: an entry is looked for as it is made, and stays as it is where there is one.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, RwLock};

use hashbrown::HashTable;

pub struct Page {
    id: String,
    text: Arc<str>,
}

fn read(id: &str) -> Page {
    Page { id: id.to_owned(), text: std::fs::read_to_string(id).unwrap_or_default().into() }
}

pub struct Pages {
    hasher: RandomState,
    pages: RwLock<HashTable<Page>>,
}

impl Pages {
    pub fn new() -> Pages {
        Pages { hasher: RandomState::new(), pages: RwLock::default() }
    }

    fn hash(&self, id: &str) -> u64 {
        self.hasher.hash_one(id)
    }

    fn get(&self, id: &str) -> Option<Arc<str>> {
        let pages = self.pages.read().unwrap();
        pages.find(self.hash(id), |page| page.id == id).map(|page| page.text.clone())
    }

    pub fn load(&self, id: &str) -> Arc<str> {
        if let Some(text) = self.get(id) {
            return text;
        }
        let page = read(id);
        let mut pages = self.pages.write().unwrap();
        let entry = pages.entry(self.hash(id), |other| other.id == id, |other| self.hash(&other.id));
        entry.or_insert(page).get().text.clone()
    }
}

/// Puts it in beside what others have put in under the same name.
pub struct Twice {
    hasher: RandomState,
    pages: RwLock<HashTable<Page>>,
}

impl Twice {
    pub fn new() -> Twice {
        Twice { hasher: RandomState::new(), pages: RwLock::default() }
    }

    fn hash(&self, id: &str) -> u64 {
        self.hasher.hash_one(id)
    }

    fn get(&self, id: &str) -> Option<Arc<str>> {
        let pages = self.pages.read().unwrap();
        let page = pages.find(self.hash(id), |page| page.id == id)?; //~
        Some(page.text.clone())
    }

    pub fn load(&self, id: &str) -> Arc<str> {
        if let Some(text) = self.get(id) {
            return text;
        }
        let page = read(id);
        let text = page.text.clone();
        let mut pages = self.pages.write().unwrap();
        pages.insert_unique(self.hash(id), page, |other| self.hash(&other.id)); //~
        text
    }
}

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

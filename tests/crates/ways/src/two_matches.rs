//! What one `match` makes, another one asks for: whoever was not found is not taken for found.

use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Who is not found is looked for again, under the lock that it is entered under.
#[derive(Default)]
pub struct Register {
    rows: RwLock<HashMap<String, u64>>,
}

impl Register {
    pub fn row(&self, who: &str) -> u64 {
        let found = match self.rows.read().unwrap().get(who) {
            Some(row) => Some(*row),
            None => None,
        };
        match found {
            Some(row) => row,
            None => *self.rows.write().unwrap().entry(who.to_owned()).or_insert(7),
        }
    }

    pub fn strike(&self, who: &str) {
        self.rows.write().unwrap().remove(who);
    }
}

#[derive(Default)]
pub struct Ledger {
    rows: RwLock<HashMap<String, u64>>,
    next: AtomicU64,
}

impl Ledger {
    pub fn row(&self, who: &str) -> u64 {
        let found = match self.rows.read().unwrap().get(who) { //~
            Some(row) => Some(*row),
            None => None,
        };
        match found {
            Some(row) => row,
            None => {
                let row = self.next.fetch_add(1, Ordering::SeqCst);
                self.rows.write().unwrap().insert(who.to_owned(), row); //~
                row
            }
        }
    }
}

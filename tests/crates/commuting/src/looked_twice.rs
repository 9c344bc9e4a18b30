//! Who looks before it claims a key, and once more when it has it, goes by the second look.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

#[derive(Default)]
pub struct Printer {
    busy: Mutex<HashSet<u32>>,
    sheets: Mutex<HashMap<u32, String>>,
}

impl Printer {
    pub fn print(&self, page: u32) -> bool {
        if self.sheets.lock().unwrap().contains_key(&page) {
            return true;
        }
        if !self.busy.lock().unwrap().insert(page) {
            return false;
        }
        if self.sheets.lock().unwrap().contains_key(&page) {
            self.busy.lock().unwrap().remove(&page);
            return true;
        }
        let sheet = std::fs::read_to_string(page.to_string()).unwrap_or_default();
        self.sheets.lock().unwrap().insert(page, sheet);
        self.busy.lock().unwrap().remove(&page);
        true
    }
}

/// It goes by the first look: another one may have had the key, and given it back, since.
#[derive(Default)]
pub struct Copier {
    busy: Mutex<HashSet<u32>>,
    sheets: Mutex<HashMap<u32, String>>,
}

impl Copier {
    pub fn copy(&self, page: u32) -> bool {
        if self.sheets.lock().unwrap().contains_key(&page) { //~
            return true;
        }
        if !self.busy.lock().unwrap().insert(page) {
            return false;
        }
        let sheet = std::fs::read_to_string(page.to_string()).unwrap_or_default();
        self.sheets.lock().unwrap().insert(page, sheet); //~
        self.busy.lock().unwrap().remove(&page);
        true
    }
}

/// The key is given back before what was seen under it is acted on.
#[derive(Default)]
pub struct Stapler {
    busy: Mutex<HashSet<u32>>,
    sheets: Mutex<HashMap<u32, String>>,
}

impl Stapler {
    pub fn staple(&self, page: u32) -> bool {
        if !self.busy.lock().unwrap().insert(page) {
            return false;
        }
        let there = self.sheets.lock().unwrap().contains_key(&page); //~
        self.busy.lock().unwrap().remove(&page);
        if !there {
            let sheet = std::fs::read_to_string(page.to_string()).unwrap_or_default();
            self.sheets.lock().unwrap().insert(page, sheet); //~
        }
        true
    }
}

//! How many hold something: who goes by that is wrong once another one has come, and who leaves without having done what the last one does, because it
//! has seen others, may not be the only one to do so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

pub struct Folio {
    pub rows: Mutex<Vec<String>>,
}

fn fill(sheets: u32) -> HashMap<u32, Arc<Folio>> {
    (0..sheets).map(|number| (number, Arc::new(Folio { rows: Mutex::default() }))).collect()
}

/// Asks under one lock, and takes out under the next.
pub struct Binder {
    sheets: Mutex<HashMap<u32, Arc<Folio>>>,
}

impl Binder {
    pub fn new(sheets: u32) -> Binder {
        Binder { sheets: Mutex::new(fill(sheets)) }
    }

    pub fn sheet(&self, number: u32) -> Option<Arc<Folio>> {
        self.sheets.lock().unwrap().get(&number).cloned() //~
    }

    pub fn discard(&self, number: u32) {
        let loose =
            self.sheets.lock().unwrap().get(&number).is_some_and(|sheet| Arc::strong_count(sheet) == 1); //~
        if loose {
            self.sheets.lock().unwrap().remove(&number); //~
        }
    }
}

/// Asks and takes out under one lock. Those who have a sheet make more of it for themselves.
pub struct Folder {
    sheets: RwLock<HashMap<u32, Arc<Folio>>>,
}

impl Folder {
    pub fn new(sheets: u32) -> Folder {
        Folder { sheets: RwLock::new(fill(sheets)) }
    }

    pub fn sheet(&self, number: u32) -> Option<Arc<Folio>> {
        self.sheets.read().unwrap().get(&number).map(Arc::clone)
    }

    pub fn write(&self, number: u32, row: String) {
        if let Some(sheet) = self.sheet(number) {
            let own = sheet.clone();
            own.rows.lock().unwrap().push(row);
        }
    }

    pub fn discard(&self, number: u32) {
        let mut sheets = self.sheets.write().unwrap();
        if sheets.get(&number).is_some_and(|sheet| Arc::strong_count(sheet) == 1) {
            sheets.remove(&number);
        }
    }

    pub fn discard_all(&self) {
        self.sheets.write().unwrap().retain(|_, sheet| Arc::strong_count(sheet) > 1);
    }
}

/// What is asked under one lock is asked again under the next.
pub struct Cabinet {
    sheets: Mutex<HashMap<u32, Arc<Folio>>>,
}

impl Cabinet {
    pub fn new(sheets: u32) -> Cabinet {
        Cabinet { sheets: Mutex::new(fill(sheets)) }
    }

    pub fn sheet(&self, number: u32) -> Option<Arc<Folio>> {
        self.sheets.lock().unwrap().get(&number).cloned()
    }

    pub fn discard(&self, number: u32) {
        let loose = |sheets: &HashMap<u32, Arc<Folio>>| {
            sheets.get(&number).is_some_and(|sheet| Arc::strong_count(sheet) == 1)
        };
        if loose(&self.sheets.lock().unwrap()) {
            let mut sheets = self.sheets.lock().unwrap();
            if loose(&sheets) {
                sheets.remove(&number);
            }
        }
    }
}

#[derive(Default)]
struct Annals {
    open: Mutex<Option<String>>,
}

/// The last one closes it, and each of two sees the other.
#[derive(Clone, Default)]
pub struct Scribe {
    log: Arc<Annals>,
}

impl Scribe {
    pub fn note(&self, text: &str) {
        self.log.open.lock().unwrap().get_or_insert_default().push_str(text);
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        let last = Arc::strong_count(&self.log) == 1; //~
        if last {
            *self.log.open.lock().unwrap() = None;
        }
    } //~
}

/// The same, of what is given up by hand.
#[derive(Clone, Default)]
pub struct Lector {
    log: Arc<Annals>,
}

impl Lector {
    pub fn read(&self) -> Option<String> {
        self.log.open.lock().unwrap().clone()
    }

    pub fn close(self) {
        if Arc::strong_count(&self.log) > 1 { //~
            return;
        }
        *self.log.open.lock().unwrap() = None;
    } //~
}

/// What is the last one's to do is done as the log goes away.
#[derive(Clone, Default)]
pub struct Annalist {
    log: Arc<Diary>,
}

#[derive(Default)]
struct Diary {
    pages: Arc<Mutex<Vec<String>>>,
}

impl Annalist {
    pub fn note(&self, text: &str) {
        self.log.pages.lock().unwrap().push(text.to_owned());
    }

    pub fn keepers(&self) -> usize {
        Arc::strong_count(&self.log)
    }
}

impl Drop for Diary {
    fn drop(&mut self) {
        self.pages.lock().unwrap().clear();
    }
}

/// Who leaves gives up its own first, and then asks how many there still are, under the lock under which others come.
#[derive(Clone, Default)]
pub struct Club {
    rooms: Arc<Mutex<HashMap<u32, Arc<Folio>>>>,
}

pub struct Boarder {
    room: Option<Arc<Folio>>,
    number: u32,
    club: Club,
}

impl Club {
    pub fn enter(&self, number: u32) -> Boarder {
        let new = || Arc::new(Folio { rows: Mutex::default() });
        let room = self.rooms.lock().unwrap().entry(number).or_insert_with(new).clone();
        Boarder { room: Some(room), number, club: self.clone() }
    }
}

impl Drop for Boarder {
    fn drop(&mut self) {
        let mut rooms = self.club.rooms.lock().unwrap();
        self.room = None;
        if rooms.get(&self.number).is_some_and(|room| Arc::strong_count(room) == 1) {
            rooms.remove(&self.number);
        }
    }
}

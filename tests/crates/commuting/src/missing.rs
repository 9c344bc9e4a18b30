//! What is not there cannot be taken out: who has found nothing under a key, and puts something in, may as well come after those who take
//! out what there is. What was fetched meanwhile may be out of date, though.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

pub struct Line {
    number: u32,
}

impl Line {
    fn new(number: u32) -> Line {
        Line { number }
    }
}

/// One at a time opens lines; anybody closes them.
#[derive(Default)]
pub struct Exchange {
    opening: Mutex<()>,
    lines: RwLock<HashMap<u32, Arc<Line>>>,
}

impl Exchange {
    pub fn open(&self, number: u32) -> bool {
        let _turn = self.opening.lock().unwrap();
        if self.lines.read().unwrap().contains_key(&number) {
            return false;
        }
        if std::fs::write("open", number.to_string()).is_err() {
            return false;
        }
        self.lines.write().unwrap().insert(number, Arc::new(Line::new(number)));
        true
    }

    pub fn close(&self, number: u32) -> bool {
        self.lines.write().unwrap().remove(&number).is_some()
    }

    pub fn number(&self, number: u32) -> Option<u32> {
        self.lines.read().unwrap().get(&number).map(|line| line.number)
    }
}

/// What is put in was read before the page was thrown out.
#[derive(Default)]
pub struct Pages {
    reading: Mutex<()>,
    pages: RwLock<HashMap<u32, String>>,
}

impl Pages {
    pub fn page(&self, number: u32) -> bool {
        let _turn = self.reading.lock().unwrap();
        if self.pages.read().unwrap().contains_key(&number) { //~
            return false;
        }
        let text = std::fs::read_to_string(number.to_string()).unwrap_or_default();
        self.pages.write().unwrap().insert(number, text); //~
        true
    }

    pub fn forget(&self, number: u32) -> bool {
        self.pages.write().unwrap().remove(&number).is_some() //~
    }
}

/// Others put in lines, too.
#[derive(Default)]
pub struct Switchboard {
    opening: Mutex<()>,
    lines: RwLock<HashMap<u32, Arc<Line>>>,
}

impl Switchboard {
    pub fn open(&self, number: u32) -> bool {
        let _turn = self.opening.lock().unwrap();
        if self.lines.read().unwrap().contains_key(&number) { //~
            return false;
        }
        self.lines.write().unwrap().insert(number, Arc::new(Line::new(number))); //~
        true
    }

    pub fn divert(&self, number: u32, to: u32) {
        self.lines.write().unwrap().insert(number, Arc::new(Line::new(to))); //~
    }

    pub fn number(&self, number: u32) -> Option<u32> {
        self.lines.read().unwrap().get(&number).map(|line| line.number)
    }
}

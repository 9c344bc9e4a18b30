//! What is taken out under its key, if it is there still: who has emptied all meanwhile has done so.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

#[derive(Debug, Default)]
struct Letters {
    awaited: HashMap<u64, Sender<String>>,
    shut: bool,
}

/// Who gives up takes its question out; the office that shuts takes out all of them.
#[derive(Debug, Default)]
pub struct Office {
    letters: Mutex<Letters>,
    next: AtomicU64,
}

impl Office {
    pub fn ask(&self) -> Option<String> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = channel();
        {
            let mut letters = self.letters.lock().unwrap();
            if letters.shut {
                return None;
            }
            letters.awaited.insert(number, answer);
        }
        match answered.recv_timeout(Duration::from_secs(5)) {
            Ok(text) => Some(text),
            Err(_) => {
                self.letters.lock().unwrap().awaited.remove(&number);
                None
            }
        }
    }

    pub fn deliver(&self, number: u64, text: String) -> bool {
        let awaited = self.letters.lock().unwrap().awaited.remove(&number);
        awaited.is_some_and(|answer| answer.send(text).is_ok())
    }

    pub fn shut(&self) {
        let mut letters = self.letters.lock().unwrap();
        letters.shut = true;
        letters.awaited.clear();
    }
}

/// It puts something in that nobody takes out any more: the office was shut by then.
#[derive(Debug, Default)]
pub struct Counter {
    letters: Mutex<Letters>,
    next: AtomicU64,
}

impl Counter {
    pub fn ask(&self) -> Option<String> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = channel();
        if self.letters.lock().unwrap().shut { //~
            return None;
        }
        self.letters.lock().unwrap().awaited.insert(number, answer); //~
        let answered = answered.recv_timeout(Duration::from_secs(5));
        self.letters.lock().unwrap().awaited.remove(&number);
        answered.ok()
    }

    pub fn shut(&self) {
        let mut letters = self.letters.lock().unwrap();
        letters.shut = true; //~
        letters.awaited.clear(); //~
    }
}

#[derive(Debug, Default)]
struct Seats {
    taken: HashMap<u64, String>,
    open: bool,
}

/// Who leaves says so only if the seat was still taken, because of what it saw before.
#[derive(Debug, Default)]
pub struct Hall {
    seats: Mutex<Seats>,
    left: AtomicU64,
}

impl Hall {
    pub fn sit(&self, seat: u64, name: String) -> u64 {
        {
            let mut seats = self.seats.lock().unwrap();
            if !seats.open { //~
                return 0;
            }
            seats.taken.insert(seat, name); //~
        }
        std::thread::sleep(Duration::from_millis(1));
        assert!(self.seats.lock().unwrap().taken.remove(&seat).is_some()); //~
        self.left.fetch_add(1, Ordering::Relaxed)
    }

    pub fn close(&self) {
        let mut seats = self.seats.lock().unwrap();
        seats.open = false; //~
        seats.taken.clear(); //~
    }
}

/// Who was let in by one look takes out what others have put in; the office that shuts takes out all of them.
#[derive(Debug, Default)]
pub struct Archive {
    shut: Mutex<bool>,
    letters: Mutex<HashMap<u64, String>>,
}

impl Archive {
    pub fn file(&self, number: u64, text: String) {
        let shut = self.shut.lock().unwrap();
        if !*shut {
            self.letters.lock().unwrap().insert(number, text);
        }
    }

    pub fn burn(&self, number: u64) {
        if !*self.shut.lock().unwrap() {
            self.letters.lock().unwrap().remove(&number);
        }
    }

    pub fn shut(&self) {
        let mut shut = self.shut.lock().unwrap();
        *shut = true;
        self.letters.lock().unwrap().clear();
    }
}

/// Who shuts puts a last letter in: that one is burnt, though the archive was shut before it came.
#[derive(Debug, Default)]
pub struct Vault {
    shut: Mutex<bool>,
    letters: Mutex<HashMap<u64, String>>,
}

impl Vault {
    pub fn burn(&self, number: u64) {
        if !*self.shut.lock().unwrap() { //~
            self.letters.lock().unwrap().remove(&number); //~
        }
    }

    pub fn shut(&self, number: u64, last: String) {
        let mut shut = self.shut.lock().unwrap();
        *shut = true; //~
        self.letters.lock().unwrap().insert(number, last); //~
    }
}

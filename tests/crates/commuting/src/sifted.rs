//! Who sifts a list by what it has seen there leaves what nobody can have seen; who takes off a list that was too long finds something
//! there, whatever others add.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Each singer has a number that was drawn for it.
#[derive(Default)]
pub struct Choir {
    next: AtomicU64,
    singers: Mutex<Vec<(u64, String)>>,
}

impl Choir {
    pub fn join(&self, voice: String) -> u64 {
        let number = self.next.fetch_add(1, Relaxed);
        self.singers.lock().unwrap().push((number, voice));
        number
    }

    pub fn sing(&self) -> usize {
        let mut hoarse = Vec::new();
        for (number, voice) in self.singers.lock().unwrap().iter() {
            if std::fs::write(voice, "la").is_err() {
                hoarse.push(*number);
            }
        }
        self.singers.lock().unwrap().retain(|(number, _)| !hoarse.contains(number));
        hoarse.len()
    }
}

/// The number is drawn, but the name is asked for: who has come back under its name is thrown out with those who are gone.
#[derive(Default)]
pub struct Band {
    next: AtomicU64,
    players: Mutex<Vec<(u64, String)>>,
}

impl Band {
    pub fn join(&self, name: String) -> u64 {
        let number = self.next.fetch_add(1, Relaxed);
        self.players.lock().unwrap().push((number, name));
        number
    }

    pub fn tidy(&self) -> usize {
        let mut gone = Vec::new();
        for (_, name) in self.players.lock().unwrap().iter() { //~
            if std::fs::metadata(name).is_err() {
                gone.push(name.clone());
            }
        }
        self.players.lock().unwrap().retain(|(_, name)| !gone.contains(name)); //~
        gone.len()
    }
}

/// Only those are kept that were seen: who comes meanwhile is thrown out.
#[derive(Default)]
pub struct Court {
    next: AtomicU64,
    guests: Mutex<Vec<(u64, String)>>,
}

impl Court {
    pub fn enter(&self, name: String) -> u64 {
        let number = self.next.fetch_add(1, Relaxed);
        self.guests.lock().unwrap().push((number, name));
        number
    }

    pub fn inspect(&self) -> usize {
        let mut fine = Vec::new();
        for (number, name) in self.guests.lock().unwrap().iter() { //~
            if std::fs::metadata(name).is_ok() {
                fine.push(*number);
            }
        }
        self.guests.lock().unwrap().retain(|(number, _)| fine.contains(number)); //~
        fine.len()
    }
}

/// The oldest line goes when there are too many; one thread sees to that.
pub struct Scroll {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Scroll {
    pub fn new(most: usize) -> Self {
        let lines: Arc<Mutex<VecDeque<String>>> = Arc::default();
        let own = Arc::clone(&lines);
        std::thread::spawn(move || {
            let long = own.lock().unwrap().len() > most;
            if long {
                own.lock().unwrap().pop_front();
            }
        });
        Self { lines }
    }

    pub fn add(&self, line: String) {
        self.lines.lock().unwrap().push_back(line);
    }
}

/// Too many are thrown away altogether, with those that were added meanwhile.
pub struct Slate {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Slate {
    pub fn new(most: usize) -> Self {
        let lines: Arc<Mutex<VecDeque<String>>> = Arc::default();
        let own = Arc::clone(&lines);
        std::thread::spawn(move || {
            let long = own.lock().unwrap().len() > most; //~
            if long {
                own.lock().unwrap().clear(); //~
            }
        });
        Self { lines }
    }

    pub fn add(&self, line: String) {
        self.lines.lock().unwrap().push_back(line); //~
    }
}

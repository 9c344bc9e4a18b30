//! What is looked at and what is changed: in sight of one another, or in two functions of which neither says what the other goes by.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

/// Two functions down nobody knows any more what the volume is set by: a note.
#[derive(Default)]
pub struct Studio {
    steps: Mutex<HashMap<u64, u8>>,
    volume: Mutex<HashMap<u64, u8>>,
}

impl Studio {
    pub fn louder(&self, id: u64) {
        let step = {
            let mut steps = self.steps.lock().unwrap();
            let step = steps.entry(id).or_default();
            *step += 1;
            *step
        };
        if step < 10 {
            self.send(id, step);
        }
    }

    fn send(&self, id: u64, step: u8) {
        self.set(id, step);
    }

    fn set(&self, id: u64, step: u8) {
        self.volume.lock().unwrap().insert(id, step);
    }

    pub fn volume(&self, id: u64) -> Option<u8> {
        self.volume.lock().unwrap().get(&id).copied()
    }
}

/// The same in one function.
#[derive(Default)]
pub struct Booth {
    steps: Mutex<HashMap<u64, u8>>,
    volume: Mutex<HashMap<u64, u8>>,
}

impl Booth {
    pub fn louder(&self, id: u64) {
        let step = {
            let mut steps = self.steps.lock().unwrap();
            let step = steps.entry(id).or_default(); //~
            *step += 1;
            *step //~
        };
        if step < 10 {
            self.volume.lock().unwrap().insert(id, step); //~
        }
    }

    pub fn volume(&self, id: u64) -> Option<u8> {
        self.volume.lock().unwrap().get(&id).copied()
    }
}

/// What the call goes by is left to a task of another function, which nobody waits for: a note.
#[derive(Default)]
pub struct Press {
    paper: Arc<Mutex<u64>>,
}

impl Press {
    pub fn print(&self) {
        let left = *self.paper.lock().unwrap();
        if left > 0 {
            self.run();
        }
    }

    fn run(&self) {
        let paper = self.paper.clone();
        thread::spawn(move || *paper.lock().unwrap() = 0);
    }

    pub fn fill(&self, sheets: u64) {
        *self.paper.lock().unwrap() += sheets;
    }
}

/// The call waits for it.
#[derive(Default)]
pub struct Mill {
    paper: Arc<Mutex<u64>>,
}

impl Mill {
    pub fn print(&self) {
        let left = *self.paper.lock().unwrap(); //~
        if left > 0 {
            self.run();
        }
    }

    fn run(&self) {
        let paper = self.paper.clone();
        thread::spawn(move || *paper.lock().unwrap() = 0).join().unwrap(); //~
    }

    pub fn fill(&self, sheets: u64) {
        *self.paper.lock().unwrap() += sheets; //~
    }
}

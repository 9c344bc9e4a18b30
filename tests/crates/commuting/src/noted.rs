//! Who takes something out notes in the same step that it has it: it is nowhere at no time, whatever is noted later.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    Waiting,
    Washed,
    Dry,
}

#[derive(Debug, Default)]
struct Shirts {
    next: u64,
    waiting: VecDeque<u64>,
    stages: HashMap<u64, Stage>,
}

#[derive(Debug, Default)]
pub struct Laundry {
    shirts: Mutex<Shirts>,
}

impl Laundry {
    pub fn bring(&self) -> u64 {
        let mut shirts = self.shirts.lock().unwrap();
        let shirt = shirts.next;
        shirts.next += 1;
        shirts.stages.insert(shirt, Stage::Waiting);
        shirts.waiting.push_back(shirt);
        shirt
    }

    fn take(&self) -> Option<u64> {
        let mut shirts = self.shirts.lock().unwrap();
        let shirt = shirts.waiting.pop_front()?;
        shirts.stages.insert(shirt, Stage::Washed);
        Some(shirt)
    }

    pub fn wash(&self) {
        while let Some(shirt) = self.take() {
            println!("{shirt}");
            self.shirts.lock().unwrap().stages.insert(shirt, Stage::Dry);
        }
    }

    pub fn stage(&self, shirt: u64) -> Option<Stage> {
        self.shirts.lock().unwrap().stages.get(&shirt).copied()
    }

    pub fn fetch(&self, shirt: u64) -> bool {
        let mut shirts = self.shirts.lock().unwrap();
        if shirts.stages.get(&shirt) != Some(&Stage::Waiting) {
            return false;
        }
        shirts.waiting.retain(|other| *other != shirt);
        shirts.stages.remove(&shirt);
        true
    }
}

/// It is noted only in the next step: who asks in between is told that it is not there.
#[derive(Debug, Default)]
pub struct Dryer {
    shirts: Mutex<Shirts>,
}

impl Dryer {
    pub fn bring(&self, shirt: u64) {
        self.shirts.lock().unwrap().waiting.push_back(shirt);
    }

    pub fn dry(&self) {
        let Some(shirt) = self.shirts.lock().unwrap().waiting.pop_front() else { return }; //~
        self.shirts.lock().unwrap().stages.insert(shirt, Stage::Washed); //~
        println!("{shirt}");
        self.shirts.lock().unwrap().stages.remove(&shirt); //~
    }

    pub fn fetch(&self, shirt: u64) -> Result<bool, &'static str> {
        let mut shirts = self.shirts.lock().unwrap();
        if let Some(at) = shirts.waiting.iter().position(|other| *other == shirt) { //~
            shirts.waiting.remove(at);
            return Ok(true);
        }
        if shirts.stages.contains_key(&shirt) { //~
            return Ok(false);
        }
        Err("no such shirt")
    }
}

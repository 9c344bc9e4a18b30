//! Keys that are looked for because nothing is there: whoever enters one under the same guard has it, until it takes it out.

use std::collections::BTreeSet;
use std::sync::Mutex;

/// A locker is one's own from when it was found free until it is given back.
#[derive(Debug, Default)]
pub struct Lockers {
    taken: Mutex<BTreeSet<u16>>,
}

impl Lockers {
    fn take(&self) -> Option<u16> {
        let mut taken = self.taken.lock().unwrap();
        let free = (1..100).find(|locker| !taken.contains(locker))?;
        taken.insert(free);
        Some(free)
    }

    fn give_back(&self, locker: u16) {
        self.taken.lock().unwrap().remove(&locker);
    }

    pub fn swim(&self) -> bool {
        let Some(locker) = self.take() else { return false };
        std::thread::yield_now();
        self.give_back(locker);
        true
    }
}

/// One that is taken was looked for: it is somebody else's that is taken out.
#[derive(Debug, Default)]
pub struct Hooks {
    taken: Mutex<BTreeSet<u16>>,
}

impl Hooks {
    fn share(&self) -> Option<u16> {
        let mut taken = self.taken.lock().unwrap();
        let used = (1..100).find(|hook| taken.contains(hook))?; //~
        taken.insert(used);
        Some(used)
    }

    fn give_back(&self, hook: u16) {
        self.taken.lock().unwrap().remove(&hook); //~
    }

    pub fn hang(&self) -> bool {
        let Some(hook) = self.share() else { return false };
        std::thread::yield_now();
        self.give_back(hook);
        true
    }

    pub fn add(&self, hook: u16) {
        self.taken.lock().unwrap().insert(hook);
    }
}

/// It was looked for under another guard than the one that it is entered under.
#[derive(Debug, Default)]
pub struct Towels {
    taken: Mutex<BTreeSet<u16>>,
}

impl Towels {
    pub fn dry(&self) -> bool {
        let free = (1..100).find(|towel| !self.taken.lock().unwrap().contains(towel)); //~
        let Some(free) = free else { return false };
        self.taken.lock().unwrap().insert(free); //~
        std::thread::yield_now();
        self.taken.lock().unwrap().remove(&free); //~
        true
    }
}

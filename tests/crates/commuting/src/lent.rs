//! What is changed through views of a collection (iterators, entries, slices), and what closures do to what they have borrowed.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Numbers, which hold no pointers that anything could be followed by.
#[derive(Default)]
pub struct Lockers {
    by_owner: Mutex<HashMap<u32, u32>>,
    rows: Mutex<Vec<(u32, bool)>>,
    queue: Mutex<VecDeque<u32>>,
    levels: Mutex<BTreeMap<u32, u32>>,
}

impl Lockers {
    /// Looks under one lock, and changes through an entry under another.
    pub fn assign(&self, owner: u32) -> bool {
        if self.by_owner.lock().unwrap().len() >= 10 { //~
            return false;
        }
        *self.by_owner.lock().unwrap().entry(owner).or_insert(0) = 7; //~
        true
    }

    /// Both under one.
    pub fn assign_at_once(&self, owner: u32) -> bool {
        let mut by_owner = self.by_owner.lock().unwrap();
        let free = by_owner.len() < 10; //~
        if free {
            *by_owner.entry(owner).or_insert(0) = 7; //~
        }
        free
    }

    /// The entry looks again.
    pub fn vacate(&self, owner: u32) {
        if self.by_owner.lock().unwrap().contains_key(&owner)
            && let Entry::Occupied(locker) = self.by_owner.lock().unwrap().entry(owner) //~
        {
            locker.remove();
        }
    }

    pub fn unmark_all(&self) {
        self.rows.lock().unwrap().iter_mut().for_each(|row| row.1 = false);
    }

    /// Looks twice, and changes nothing: to lend is no change.
    pub fn shortest(&self) -> (u32, u32) {
        let mut queue = self.queue.lock().unwrap();
        let last = queue.back_mut().map_or(0, |last| *last);
        drop(queue);
        let mut levels = self.levels.lock().unwrap();
        let lowest = levels.range_mut(1..).next().map_or(0, |(_, level)| *level);
        (last, lowest)
    }

    pub fn longest(&self) -> (u32, u32) {
        let first = self.queue.lock().unwrap().front_mut().map_or(0, |first| *first);
        (first, self.levels.lock().unwrap().values_mut().map(|level| *level).max().unwrap_or(0))
    }

    pub fn extend(&self, by: u32) {
        self.queue.lock().unwrap().push_back(by);
        self.levels.lock().unwrap().insert(by, by);
    }
}

/// How many may be in.
pub struct Door {
    inside: AtomicU64,
    most: u64,
}

impl Door {
    pub fn new(most: u64) -> Self {
        Door { inside: AtomicU64::new(0), most }
    }

    /// What was seen goes through a closure that notes it.
    pub fn enter(&self) -> bool {
        let mut full = false;
        let mut note = |inside: u64| {
            if inside >= self.most {
                full = true;
            }
        };
        note(self.inside.load(SeqCst)); //~
        if full {
            return false;
        }
        self.inside.fetch_add(1, SeqCst); //~
        true
    }

    /// The closure counts for itself; the change is made in any case.
    pub fn pass(&self) -> u64 {
        let mut seen = 0;
        let mut note = |inside: u64| seen += inside;
        note(1);
        self.inside.fetch_add(1, SeqCst);
        seen
    }
}

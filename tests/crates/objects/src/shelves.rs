//! One of several shelves, and who is given its guard: helpers get what their caller has chosen.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, RwLock};

/// One of two lists is chosen, and a helper works on it under the caller's guard.
pub struct Library {
    fiction: Mutex<Vec<u32>>,
    facts: Mutex<Vec<u32>>,
}

impl Library {
    pub fn new() -> Library {
        Library { fiction: Mutex::new(Vec::new()), facts: Mutex::new(Vec::new()) }
    }

    pub fn add(&self, book: u32, is_true: bool) {
        let shelf = if is_true { &self.facts } else { &self.fiction };
        let mut shelf = shelf.lock().unwrap();
        Library::put(&mut shelf, book);
    }

    fn put(shelf: &mut MutexGuard<'_, Vec<u32>>, book: u32) {
        if !shelf.contains(&book) {
            shelf.push(book);
        }
    }
}

/// The guard is taken anew for each half.
pub struct Annex {
    fiction: Mutex<Vec<u32>>,
    facts: Mutex<Vec<u32>>,
}

impl Annex {
    pub fn new() -> Annex {
        Annex { fiction: Mutex::new(Vec::new()), facts: Mutex::new(Vec::new()) }
    }

    pub fn add(&self, book: u32, is_true: bool) {
        let shelf = if is_true { &self.facts } else { &self.fiction };
        let known = Annex::has(&shelf.lock().unwrap(), book);
        if !known {
            Annex::put(&mut shelf.lock().unwrap(), book);
        }
    }

    fn has(shelf: &MutexGuard<'_, Vec<u32>>, book: u32) -> bool {
        shelf.contains(&book) //~
    }

    fn put(shelf: &mut MutexGuard<'_, Vec<u32>>, book: u32) {
        shelf.push(book); //~
    }
}

/// Racks, old and new, and an entry of one.
pub struct Depot {
    old: Vec<RwLock<HashMap<u64, u32>>>,
    new: Vec<RwLock<HashMap<u64, u32>>>,
}

impl Depot {
    pub fn new() -> Depot {
        let racks = || (0..4).map(|_| RwLock::new(HashMap::new())).collect();
        Depot { old: racks(), new: racks() }
    }

    pub fn put(&self, id: u64, piece: u32, old: bool) {
        let racks = if old { &self.old } else { &self.new };
        let mut rack = racks[id as usize % racks.len()].write().unwrap();
        self.put_in(&mut rack, id, piece);
    }

    fn put_in(&self, rack: &mut HashMap<u64, u32>, id: u64, piece: u32) {
        match rack.entry(id) {
            Entry::Occupied(mut entry) => {
                if *entry.get() < piece {
                    entry.insert(piece);
                }
            }
            Entry::Vacant(entry) => {
                entry.insert(piece);
            }
        }
    }
}

/// Looks at a rack under one guard, and puts something in under another.
pub struct Yard {
    old: Vec<RwLock<HashMap<u64, u32>>>,
    new: Vec<RwLock<HashMap<u64, u32>>>,
}

impl Yard {
    pub fn new() -> Yard {
        let racks = || (0..4).map(|_| RwLock::new(HashMap::new())).collect();
        Yard { old: racks(), new: racks() }
    }

    pub fn put(&self, id: u64, piece: u32, old: bool) {
        let racks = if old { &self.old } else { &self.new };
        let rack = &racks[id as usize % racks.len()];
        let before = Yard::found(&rack.read().unwrap(), id);
        if before.is_none_or(|before| before < piece) {
            Yard::put_in(&mut rack.write().unwrap(), id, piece);
        }
    }

    fn found(rack: &HashMap<u64, u32>, id: u64) -> Option<u32> {
        rack.get(&id).copied() //~
    }

    fn put_in(rack: &mut HashMap<u64, u32>, id: u64, piece: u32) {
        rack.insert(id, piece); //~
    }
}

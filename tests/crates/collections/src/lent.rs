//! What an entry of a map lends is the map's: the pointer that is there, or was just put there, and not what that points to.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Tally {
    votes: Mutex<u64>,
}

/// Each list has a lock of its own, which is taken when that of the map has been given back.
#[derive(Default)]
pub struct Polls {
    by_number: Mutex<HashMap<u64, Arc<Mutex<u64>>>>,
    by_place: Mutex<BTreeMap<u64, Arc<Mutex<u64>>>>,
    by_name: Mutex<HashMap<String, Arc<Tally>>>,
    visits: Mutex<HashMap<u64, Arc<AtomicU64>>>,
}

impl Polls {
    pub fn vote(&self, list: u64) {
        let votes = self.by_number.lock().unwrap().entry(list).or_default().clone();
        *votes.lock().unwrap() += 1;
    }

    /// What was counted before is what the new count is made of.
    pub fn double(&self, list: u64) {
        let votes =
            Arc::clone(self.by_number.lock().unwrap().entry(list).or_insert_with(|| Arc::new(Mutex::new(1))));
        let mut votes = votes.lock().unwrap();
        *votes = *votes * 2 + 1;
    }

    pub fn vote_at(&self, place: u64) {
        let votes = self.by_place.lock().unwrap().entry(place).or_insert(Arc::new(Mutex::new(0))).clone();
        *votes.lock().unwrap() += 1; //~
    }

    /// The count is looked at, and stored when others may have voted.
    pub fn recount_at(&self, place: u64) {
        let votes = self.by_place.lock().unwrap().entry(place).or_insert(Arc::new(Mutex::new(0))).clone();
        let counted = *votes.lock().unwrap(); //~
        *votes.lock().unwrap() = counted * 2 + 1; //~
    }

    /// Here nobody but the map has made what it holds.
    pub fn recount(&self, name: &str) {
        let tally = self.by_name.lock().unwrap().entry(name.to_owned()).or_default().clone();
        let counted = *tally.votes.lock().unwrap(); //~
        *tally.votes.lock().unwrap() = counted * 2 + 1; //~
    }

    pub fn visit(&self, place: u64) {
        let visits = self.visits.lock().unwrap().entry(place).or_default().clone();
        visits.fetch_add(1, Ordering::SeqCst); //~
    }

    /// Visits meanwhile are lost.
    pub fn visit_twice(&self, place: u64) {
        let visits = self.visits.lock().unwrap().entry(place).or_default().clone();
        let before = visits.load(Ordering::SeqCst); //~
        visits.store(before * 2 + 2, Ordering::SeqCst); //~
    }
}

/// A lock for each account, made when it is first needed, and data that is only touched under it.
#[derive(Default)]
pub struct Ledger {
    turns: Mutex<HashMap<u64, Arc<Mutex<()>>>>,
    balances: Mutex<HashMap<u64, u64>>,
    reserves: Mutex<HashMap<u64, u64>>,
}

impl Ledger {
    fn turn(&self, account: u64) -> Arc<Mutex<()>> {
        match self.turns.lock().unwrap().entry(account) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(room) => room.insert(Arc::new(Mutex::new(()))).clone(),
        }
    }

    pub fn add_interest(&self, account: u64) {
        let turn = self.turn(account);
        let _mine = turn.lock().unwrap();
        let balance = self.balances.lock().unwrap().get(&account).copied().unwrap_or(10);
        self.balances.lock().unwrap().insert(account, balance * 2);
    }

    /// The turn is over too early.
    pub fn add_reserve(&self, account: u64) {
        let turn = self.turn(account);
        drop(turn.lock().unwrap());
        let reserve = self.reserves.lock().unwrap().get(&account).copied().unwrap_or(10); //~
        self.reserves.lock().unwrap().insert(account, reserve * 2); //~
    }
}

/// Numbers that the keys are, and numbers behind the values, are not the same numbers.
#[derive(Default)]
pub struct Shelves {
    books: Mutex<HashMap<u64, Arc<Mutex<u64>>>>,
}

impl Shelves {
    pub fn fill(&self, shelf: u64) {
        let books = self.books.lock().unwrap().get(&shelf).cloned();
        if let Some(books) = books {
            *books.lock().unwrap() += 1;
        }
    }

    /// How many it puts there has to do with the numbers of the shelves alone.
    pub fn level(&self) {
        let (last, books) = {
            let all = self.books.lock().unwrap();
            let last = all.keys().copied().max().unwrap_or(0);
            (last, all.get(&last).cloned())
        };
        if let Some(books) = books {
            *books.lock().unwrap() += last;
        }
    }
}

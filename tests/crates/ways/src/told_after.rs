//! What is changed is looked at again, in a section of its own, to tell the caller how many there are: two are told the same.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::Sender;

/// Tickets, each with a number.
#[derive(Default)]
pub struct Tickets {
    sold: AtomicU64,
    torn: Mutex<u32>,
}

impl Tickets {
    /// Two get one number.
    pub fn sell(&self) -> u64 {
        self.sold.fetch_add(1, SeqCst); //~
        self.sold.load(SeqCst) //~
    }

    /// The same under a lock.
    pub fn tear(&self) -> u32 {
        *self.torn.lock().unwrap() += 1; //~
        *self.torn.lock().unwrap() //~
    }
}

/// As tickets, and each has a number of its own.
#[derive(Default)]
pub struct Stubs {
    sold: AtomicU64,
    torn: Mutex<u32>,
    seen: AtomicU64,
}

impl Stubs {
    /// What is told is what was there as it was changed; what is looked at again is only how many there are by now.
    pub fn sell(&self) -> (u64, u64) {
        let number = self.sold.fetch_add(1, SeqCst);
        (number, self.sold.load(SeqCst))
    }

    /// Under one guard.
    pub fn tear(&self) -> u32 {
        let mut torn = self.torn.lock().unwrap();
        *torn += 1;
        *torn
    }

    /// How things are, and not which number somebody has.
    pub fn see(&self) -> (u64, u64) {
        self.seen.fetch_add(1, SeqCst);
        (self.seen.load(SeqCst), self.sold.load(SeqCst))
    }

    /// Nobody is told.
    pub fn look(&self) {
        self.seen.fetch_add(1, SeqCst);
        log(self.seen.load(SeqCst));
    }
}

fn log(_: u64) {}

/// Guests of a house.
#[derive(Default)]
pub struct House {
    guests: AtomicUsize,
}

impl House {
    /// One more.
    pub fn enter(&self) {
        self.guests.fetch_add(1, SeqCst);
    }

    /// Two are the last.
    pub fn leave(&self) -> bool {
        self.guests.fetch_sub(1, SeqCst); //~
        self.guests.load(SeqCst) == 0 //~
    }
}

/// A house that one guest leaves.
#[derive(Default)]
pub struct Cabin {
    guests: AtomicUsize,
}

impl Cabin {
    /// One more.
    pub fn enter(&self) {
        self.guests.fetch_add(1, SeqCst);
    }

    /// Who has come meanwhile is there.
    pub fn leave(&self) -> bool {
        self.guests.fetch_sub(1, SeqCst) == 1
    }

    /// Whoever is there.
    pub fn is_empty(&self) -> bool {
        self.guests.load(SeqCst) == 0
    }
}

/// Names, each with an index.
#[derive(Default)]
pub struct Register {
    names: Mutex<Vec<String>>,
}

impl Register {
    /// Two names have one index.
    pub fn enter(&self, name: String) -> usize {
        self.names.lock().unwrap().push(name); //~
        self.names.lock().unwrap().len() - 1 //~
    }

    /// One of them.
    pub fn name(&self, index: usize) -> Option<String> {
        self.names.lock().unwrap().get(index).cloned()
    }
}

/// Players of a game.
#[derive(Default)]
pub struct Game {
    players: Mutex<HashMap<u64, String>>,
}

impl Game {
    /// None is the first.
    pub fn join(&self, id: u64, name: String) -> bool {
        self.players.lock().unwrap().insert(id, name); //~
        self.players.lock().unwrap().len() == 1 //~
    }
}

/// Players who are told how many they are.
pub struct Lobby {
    players: Mutex<HashMap<u64, String>>,
    told: Mutex<Sender<usize>>,
}

impl Lobby {
    /// None yet.
    pub fn new(told: Sender<usize>) -> Lobby {
        Lobby { players: Mutex::default(), told: Mutex::new(told) }
    }

    /// How many there are by now.
    pub fn join(&self, id: u64, name: String) -> usize {
        self.players.lock().unwrap().insert(id, name);
        self.players.lock().unwrap().len()
    }

    /// All are told how many there are by now.
    pub fn announce(&self, id: u64, name: String) {
        self.players.lock().unwrap().insert(id, name);
        let count = self.players.lock().unwrap().len();
        let _ = self.told.lock().unwrap().send(count);
    }

    /// What is there under the key.
    pub fn rename(&self, id: u64, name: String) -> Option<String> {
        self.players.lock().unwrap().insert(id, name);
        self.players.lock().unwrap().get(&id).cloned()
    }
}

/// Who counts in whom it starts waits for all: it tells nobody a number.
#[derive(Clone, Default)]
pub struct Crew {
    out: std::sync::Arc<(Mutex<usize>, std::sync::Condvar)>,
}

impl Crew {
    pub fn send_out(&self, job: impl FnOnce() + Send + 'static) {
        let crew = self.out.clone();
        *crew.0.lock().unwrap() += 1;
        std::thread::spawn(move || {
            job();
            let mut out = crew.0.lock().unwrap();
            *out -= 1;
            if *out == 0 {
                crew.1.notify_all();
            }
        });
    }

    pub fn call_in(&self) {
        let mut out = self.out.0.lock().unwrap();
        while *out > 0 {
            out = self.out.1.wait(out).unwrap();
        }
    }

    pub fn send_all(&self, jobs: Vec<Box<dyn FnOnce() + Send>>) {
        for job in jobs {
            self.send_out(job);
        }
        self.call_in();
    }
}

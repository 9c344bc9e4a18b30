//! Who has looked under another guard, and looks again where it changes something.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

/// Finds a counter or makes one, and goes by what is in it.
#[derive(Default)]
pub struct Counters {
    by_name: RwLock<HashMap<String, Arc<Mutex<u32>>>>,
}

impl Counters {
    pub fn take(&self, name: &str) -> bool {
        let known = self.by_name.read().unwrap().get(name).cloned();
        let counter = match known {
            Some(counter) => counter,
            None => self.by_name.write().unwrap().entry(name.to_owned()).or_default().clone(),
        };
        let mut counter = counter.lock().unwrap();
        if *counter > 5 {
            return false;
        }
        *counter += 1;
        true
    }
}

/// Puts another one there, whoever has made one meanwhile.
#[derive(Default)]
pub struct Replaced {
    by_name: RwLock<HashMap<String, Arc<Mutex<u32>>>>,
}

impl Replaced {
    pub fn take(&self, name: &str) -> bool {
        let known = self.by_name.read().unwrap().get(name).cloned(); //~
        let counter = match known {
            Some(counter) => counter,
            None => {
                let made = Arc::<Mutex<u32>>::default();
                self.by_name.write().unwrap().insert(name.to_owned(), made.clone()); //~
                made
            }
        };
        let mut counter = counter.lock().unwrap();
        if *counter > 5 {
            return false;
        }
        *counter += 1;
        true
    }
}

const MOST: usize = 60;

fn is_recent(at: &Instant) -> bool {
    at.elapsed() < Duration::from_secs(60)
}

/// Counts again under the guard.
#[derive(Default)]
pub struct Window {
    calls: RwLock<HashMap<u64, VecDeque<Instant>>>,
}

impl Window {
    fn recent(&self, key: u64) -> usize {
        self.calls.read().unwrap().get(&key).map_or(0, |calls| calls.iter().filter(|at| is_recent(at)).count())
    }

    pub fn allow(&self, key: u64) -> bool {
        if self.recent(key) >= MOST {
            return false;
        }
        let mut calls = self.calls.write().unwrap();
        let calls = calls.entry(key).or_default();
        calls.retain(is_recent);
        if calls.len() >= MOST {
            return false;
        }
        calls.push_back(Instant::now());
        true
    }
}

/// Counts only before.
#[derive(Default)]
pub struct Leaky {
    calls: RwLock<HashMap<u64, VecDeque<Instant>>>,
}

impl Leaky {
    fn recent(&self, key: u64) -> usize {
        self.calls.read().unwrap().get(&key).map_or(0, |calls| calls.iter().filter(|at| is_recent(at)).count()) //~
    }

    pub fn allow(&self, key: u64) -> bool {
        if self.recent(key) >= MOST {
            return false;
        }
        let mut calls = self.calls.write().unwrap();
        let calls = calls.entry(key).or_default();
        calls.retain(is_recent);
        calls.push_back(Instant::now()); //~
        true
    }
}

pub struct Player {
    score: Mutex<i64>,
}

/// Whoever is found stays: others come in under other names.
#[derive(Default)]
pub struct Game {
    players: RwLock<HashMap<u32, Arc<Player>>>,
}

impl Game {
    pub fn join(&self, id: u32) {
        self.players.write().unwrap().entry(id).or_insert_with(|| Arc::new(Player { score: Mutex::new(0) }));
    }

    pub fn halve(&self, id: u32) {
        let found = self.players.read().unwrap().get(&id).cloned();
        if let Some(player) = found {
            *player.score.lock().unwrap() /= 2;
        }
    }
}

/// Whoever was found may have been replaced.
#[derive(Default)]
pub struct Match {
    players: RwLock<HashMap<u32, Arc<Player>>>,
    scores: Mutex<Vec<i64>>,
}

impl Match {
    pub fn join(&self, id: u32, score: i64) {
        self.players.write().unwrap().insert(id, Arc::new(Player { score: Mutex::new(score) })); //~
        self.scores.lock().unwrap().push(score); //~
    }

    pub fn end(&self, id: u32) {
        let found = self.players.read().unwrap().get(&id).cloned(); //~
        if let Some(player) = found {
            let score = *player.score.lock().unwrap();
            self.scores.lock().unwrap().retain(|other| *other != score); //~
        }
    }
}

/// Each room is looked at as it is taken out.
#[derive(Default)]
pub struct Rooms {
    rooms: RwLock<HashMap<String, HashSet<u64>>>,
}

impl Rooms {
    pub fn join(&self, room: &str, who: u64) {
        self.rooms.write().unwrap().entry(room.to_owned()).or_default().insert(who);
    }

    pub fn leave(&self, room: &str, who: u64) {
        if let Some(room) = self.rooms.write().unwrap().get_mut(room) {
            room.remove(&who);
        }
    }

    pub fn tidy(&self) {
        if self.rooms.read().unwrap().values().any(|who| who.is_empty()) {
            self.rooms.write().unwrap().retain(|_, who| !who.is_empty());
        }
    }
}

/// The rooms that were empty go, whoever has come since.
#[derive(Default)]
pub struct Cellars {
    rooms: RwLock<HashMap<String, HashSet<u64>>>,
}

impl Cellars {
    pub fn join(&self, room: &str, who: u64) {
        self.rooms.write().unwrap().entry(room.to_owned()).or_default().insert(who); //~
    }

    pub fn tidy(&self) {
        let rooms = self.rooms.read().unwrap();
        let empty: Vec<String> =
            rooms.iter().filter(|(_, who)| who.is_empty()).map(|(name, _)| name.clone()).collect(); //~
        drop(rooms);
        self.rooms.write().unwrap().retain(|name, _| !empty.contains(name)); //~
    }
}

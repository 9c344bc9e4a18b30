//! Elements that are looked for again, one after the other, by all that was seen of them.

use std::collections::HashMap;
use std::sync::Mutex;

/// How warm it is in each room.
#[derive(Default)]
pub struct Rooms {
    warmth: Mutex<HashMap<String, u64>>,
}

impl Rooms {
    pub fn heat(&self, room: &str, by: u64) {
        *self.warmth.lock().unwrap().entry(room.to_owned()).or_insert(0) += by; //~
    }

    /// Only which rooms there are was seen before.
    pub fn cool(&self, outside: u64) {
        let rooms: Vec<String> = self.warmth.lock().unwrap().keys().cloned().collect();
        for room in rooms {
            if let Some(warmth) = self.warmth.lock().unwrap().get_mut(&room) {
                *warmth -= (*warmth - outside) / 10;
            }
        }
    }

    /// What is stored was made of what was listed.
    pub fn halve(&self) {
        let listed: Vec<(String, u64)> =
            self.warmth.lock().unwrap().iter().map(|(room, warmth)| (room.clone(), *warmth)).collect(); //~
        for (room, warmth) in listed {
            if let Some(found) = self.warmth.lock().unwrap().get_mut(&room) { //~
                *found = warmth / 2;
            }
        }
    }

    /// Those that were cold are made warm, be they cold still or not.
    pub fn warm_up(&self) {
        let cold: Vec<String> = {
            let warmth = self.warmth.lock().unwrap();
            warmth.iter().filter(|(_, warmth)| **warmth < 10).map(|(room, _)| room.clone()).collect() //~
        };
        for room in cold {
            if let Some(warmth) = self.warmth.lock().unwrap().get_mut(&room) { //~
                *warmth = 20;
            }
        }
    }
}

/// A runner.
pub struct Runner {
    name: String,
    laps: u32,
}

/// Runners in the order in which they came.
#[derive(Default)]
pub struct Race {
    runners: Mutex<Vec<Runner>>,
}

impl Race {
    pub fn start(&self, names: Vec<String>) {
        *self.runners.lock().unwrap() = names.into_iter().map(|name| Runner { name, laps: 0 }).collect(); //~
    }

    /// By name, if there is one of that name still.
    pub fn measure(&self, far: impl Fn(&str) -> u32) {
        let names: Vec<String> = self.runners.lock().unwrap().iter().map(|runner| runner.name.clone()).collect();
        for name in names {
            let laps = far(&name);
            if let Some(runner) = self.runners.lock().unwrap().iter_mut().find(|runner| runner.name == name) {
                runner.laps = laps;
            }
        }
    }

    /// By place, where another one may be by now.
    pub fn measure_by_place(&self, far: impl Fn(usize) -> u32) {
        let places: Vec<usize> =
            self.runners.lock().unwrap().iter().enumerate().map(|(place, _)| place).collect(); //~
        for place in places {
            let laps = far(place);
            if let Some(runner) = self.runners.lock().unwrap().get_mut(place) { //~
                runner.laps = laps;
            }
        }
    }

    pub fn laps(&self) -> u32 {
        self.runners.lock().unwrap().iter().map(|runner| runner.laps).sum()
    }
}

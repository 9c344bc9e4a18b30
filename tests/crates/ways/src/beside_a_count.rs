//! Who takes back what it has counted in an entry may find that others have changed what stands beside the number.

use std::collections::HashMap;
use std::sync::Mutex;

struct State {
    running: u32,
    seen: u64,
}

pub struct Limiter {
    states: Mutex<HashMap<u32, State>>,
    most: u32,
}

impl Limiter {
    pub fn new(most: u32) -> Limiter {
        Limiter { states: Mutex::new(HashMap::new()), most }
    }

    fn begin(&self, who: u32, now: u64) -> bool {
        let mut states = self.states.lock().unwrap();
        let state = states.entry(who).or_insert_with(|| State { running: 0, seen: 0 });
        if state.running >= self.most {
            return false;
        }
        state.running += 1;
        state.seen = now;
        true
    }

    fn end(&self, who: u32) {
        if let Some(state) = self.states.lock().unwrap().get_mut(&who) {
            state.running -= 1;
        }
    }

    pub fn run(&self, who: u32, now: u64, work: impl FnOnce()) -> bool {
        if !self.begin(who, now) {
            return false;
        }
        work();
        self.end(who);
        true
    }
}

pub struct Apart {
    states: Mutex<HashMap<u32, State>>,
    most: u32,
}

impl Apart {
    pub fn new(most: u32) -> Apart {
        Apart { states: Mutex::new(HashMap::new()), most }
    }

    fn running(&self, who: u32) -> u32 {
        self.states.lock().unwrap().get(&who).map_or(0, |state| state.running) //~
    }

    /// Wrong: whether there is room, and that it is taken, are two sections.
    pub fn begin(&self, who: u32, now: u64) -> bool {
        if self.running(who) >= self.most {
            return false;
        }
        let mut states = self.states.lock().unwrap();
        let state = states.entry(who).or_insert_with(|| State { running: 0, seen: 0 }); //~
        state.running += 1;
        state.seen = now;
        true
    }
}

//! Who finds an entry free marks it as taken under the same guard, and as free again when done: others leave it alone meanwhile.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

#[derive(Clone, Copy, PartialEq)]
enum Shift {
    Idle,
    Busy,
}

pub struct Workers {
    all: Mutex<BTreeMap<u32, Shift>>,
}

impl Workers {
    pub fn of(many: u32) -> Self {
        Workers { all: Mutex::new((0..many).map(|id| (id, Shift::Idle)).collect()) }
    }

    fn pick(&self) -> Option<u32> {
        let mut all = self.all.lock().unwrap();
        let id = all.iter().find(|(_, shift)| **shift == Shift::Idle).map(|(id, _)| *id)?;
        all.insert(id, Shift::Busy);
        Some(id)
    }

    pub fn run(&self, job: impl FnOnce(u32)) -> bool {
        let Some(id) = self.pick() else { return false };
        job(id);
        self.all.lock().unwrap().insert(id, Shift::Idle);
        true
    }
}

/// The caller says which one.
#[derive(Default)]
pub struct Rooms {
    taken: Mutex<HashMap<u32, bool>>,
}

impl Rooms {
    pub fn with(&self, room: u32, work: impl FnOnce()) -> bool {
        {
            let mut taken = self.taken.lock().unwrap();
            if taken.get(&room).copied().unwrap_or(false) {
                return false;
            }
            taken.insert(room, true);
        }
        work();
        self.taken.lock().unwrap().insert(room, false);
        true
    }
}

/// Marked under another guard than it was found under.
#[derive(Default)]
pub struct Chairs {
    taken: Mutex<HashMap<u32, bool>>,
}

impl Chairs {
    pub fn with(&self, chair: u32, work: impl FnOnce()) -> bool {
        let taken = self.taken.lock().unwrap().get(&chair).copied().unwrap_or(false); //~
        if taken {
            return false;
        }
        self.taken.lock().unwrap().insert(chair, true); //~
        work();
        self.taken.lock().unwrap().insert(chair, false);
        true
    }
}

/// The outcome of the search is what is returned.
pub struct Porters {
    all: Mutex<BTreeMap<u32, Shift>>,
}

impl Porters {
    pub fn of(many: u32) -> Self {
        Porters { all: Mutex::new((0..many).map(|id| (id, Shift::Idle)).collect()) }
    }

    fn pick(&self) -> Option<u32> {
        let mut all = self.all.lock().unwrap();
        let found = all.iter().find(|(_, shift)| **shift == Shift::Idle).map(|(id, _)| *id);
        if let Some(id) = found {
            all.insert(id, Shift::Busy);
        }
        found
    }

    pub fn carry(&self, what: impl FnOnce(u32)) -> bool {
        let Some(id) = self.pick() else { return false };
        what(id);
        self.all.lock().unwrap().insert(id, Shift::Idle);
        true
    }
}

/// Somebody frees what another one has taken.
#[derive(Default)]
pub struct Boats {
    taken: Mutex<HashMap<u32, bool>>,
}

impl Boats {
    pub fn with(&self, boat: u32, work: impl FnOnce()) -> bool {
        {
            let mut taken = self.taken.lock().unwrap();
            if taken.get(&boat).copied().unwrap_or(false) { //~
                return false;
            }
            taken.insert(boat, true);
        }
        work();
        self.taken.lock().unwrap().insert(boat, false); //~
        true
    }

    pub fn free(&self, boat: u32) {
        self.taken.lock().unwrap().insert(boat, false);
    }
}

/// The first one is picked, be it taken or not.
pub struct Pens {
    all: Mutex<BTreeMap<u32, bool>>,
}

impl Pens {
    pub fn of(many: u32) -> Self {
        Pens { all: Mutex::new((0..many).map(|id| (id, false)).collect()) }
    }

    pub fn write(&self, with: impl FnOnce(u32)) -> bool {
        let first = {
            let mut all = self.all.lock().unwrap();
            let Some(first) = all.iter().map(|(id, _)| *id).min() else { return false }; //~
            all.insert(first, true);
            first
        };
        with(first);
        self.all.lock().unwrap().insert(first, false); //~
        true
    }
}

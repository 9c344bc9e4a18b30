//! States that are compared as a whole, by the `==` that is derived.

use std::sync::Mutex;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Draining,
    Shut,
}

pub struct Valve {
    phase: Mutex<Phase>,
    drained: Mutex<u32>,
}

impl Valve {
    pub fn new() -> Self {
        Valve { phase: Mutex::new(Phase::Open), drained: Mutex::new(0) }
    }

    /// Looks in one section and changes in another one.
    pub fn drain(&self) -> bool {
        if *self.phase.lock().unwrap() == Phase::Open { //~
            *self.phase.lock().unwrap() = Phase::Draining; //~
            return true;
        }
        false
    }

    pub fn shut(&self) {
        *self.phase.lock().unwrap() = Phase::Shut; //~
        *self.drained.lock().unwrap() += 1;
    }
}

pub struct Gate {
    phase: Mutex<Phase>,
}

impl Gate {
    pub fn new() -> Self {
        Gate { phase: Mutex::new(Phase::Open) }
    }

    /// Looks and changes in one section.
    pub fn drain(&self) -> bool {
        let mut phase = self.phase.lock().unwrap();
        if *phase == Phase::Open {
            *phase = Phase::Draining;
            return true;
        }
        false
    }

    pub fn shut(&self) {
        *self.phase.lock().unwrap() = Phase::Shut;
    }
}

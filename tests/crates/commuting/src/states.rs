//! Which state something is in, noted under its lock: who finds it as expected notes another one under the same guard.

use std::sync::{Mutex, RwLock};

/// One run at a time, in three words for the state.
#[derive(Clone, Copy, PartialEq)]
pub enum Phase {
    Idle,
    Busy,
    Done,
}

pub struct Job {
    phase: Mutex<Phase>,
    result: Mutex<u32>,
}

impl Job {
    pub fn new() -> Job {
        Job { phase: Mutex::new(Phase::Idle), result: Mutex::new(0) }
    }

    /// Only one gets past the look.
    pub fn run(&self) -> bool {
        {
            let mut phase = self.phase.lock().unwrap();
            match *phase {
                Phase::Idle => *phase = Phase::Busy,
                Phase::Busy | Phase::Done => return false,
            }
        }
        let before = *self.result.lock().unwrap();
        *self.result.lock().unwrap() = before + 1;
        *self.phase.lock().unwrap() = Phase::Done;
        true
    }
}

/// The same, by comparison.
pub struct Compared {
    phase: RwLock<Phase>,
    result: Mutex<u32>,
}

impl Compared {
    pub fn new() -> Compared {
        Compared { phase: RwLock::new(Phase::Idle), result: Mutex::new(0) }
    }

    pub fn run(&self) {
        let mut phase = self.phase.write().unwrap();
        if *phase != Phase::Idle {
            return;
        }
        *phase = Phase::Busy;
        drop(phase);
        let before = *self.result.lock().unwrap();
        *self.result.lock().unwrap() = before + 1;
    }
}

/// Nobody notes that it is busy.
pub struct Unnoted {
    phase: Mutex<Phase>,
    result: Mutex<u32>,
}

impl Unnoted {
    pub fn new() -> Unnoted {
        Unnoted { phase: Mutex::new(Phase::Idle), result: Mutex::new(0) }
    }

    pub fn run(&self) {
        if *self.phase.lock().unwrap() != Phase::Idle { //~
            return;
        }
        let before = *self.result.lock().unwrap(); //~
        *self.result.lock().unwrap() = before + 1; //~
        *self.phase.lock().unwrap() = Phase::Done; //~
    }
}

/// It is idle again before the work is done.
pub struct Early {
    phase: Mutex<Phase>,
    result: Mutex<u32>,
}

impl Early {
    pub fn new() -> Early {
        Early { phase: Mutex::new(Phase::Idle), result: Mutex::new(0) }
    }

    pub fn run(&self) {
        let mut phase = self.phase.lock().unwrap();
        match *phase {
            Phase::Idle => *phase = Phase::Busy,
            _ => return,
        }
        drop(phase);
        let before = *self.result.lock().unwrap(); //~
        *self.phase.lock().unwrap() = Phase::Idle;
        *self.result.lock().unwrap() = before + 1; //~
    }
}

/// What is in a state is changed where it is.
pub enum Gate {
    Open { passed: u32 },
    Shut,
}

pub struct Till {
    gate: Mutex<Gate>,
    total: Mutex<u32>,
}

impl Till {
    pub fn new() -> Till {
        Till { gate: Mutex::new(Gate::Open { passed: 0 }), total: Mutex::new(0) }
    }

    pub fn pass(&self) {
        if let Gate::Open { passed } = &mut *self.gate.lock().unwrap() {
            *passed += 1;
        }
    }

    /// Only who shuts it counts.
    pub fn shut(&self) {
        let mut gate = self.gate.lock().unwrap();
        if matches!(*gate, Gate::Shut) {
            return;
        }
        *gate = Gate::Shut;
        drop(gate);
        let before = *self.total.lock().unwrap();
        *self.total.lock().unwrap() = before + 1;
    }
}

/// The pool is looked at again under the new guard: who shuts it down in between is seen.
pub struct Pool {
    idle: Mutex<Option<Vec<u32>>>,
    made: Mutex<u32>,
}

impl Pool {
    pub fn new() -> Pool {
        Pool { idle: Mutex::new(Some(Vec::new())), made: Mutex::new(0) }
    }

    pub fn fill(&self) {
        {
            let mut idle = self.idle.lock().unwrap();
            let Some(_) = idle.as_mut() else { return };
        }
        let mut idle = self.idle.lock().unwrap();
        let Some(idle) = idle.as_mut() else { return };
        idle.push(1);
    }

    /// Only who has shut it down counts.
    pub fn shut_down(&self) {
        let gone = self.idle.lock().unwrap().take();
        if gone.is_some() {
            let before = *self.made.lock().unwrap();
            *self.made.lock().unwrap() = before + 1;
        }
    }
}

/// What is there may have been taken, and put back: the second look finds another one.
pub struct Slot {
    held: Mutex<Option<u32>>,
    sum: Mutex<u32>,
}

impl Slot {
    pub fn new() -> Slot {
        Slot { held: Mutex::new(None), sum: Mutex::new(0) }
    }

    pub fn put(&self, value: u32) {
        *self.held.lock().unwrap() = Some(value);
    }

    pub fn clear(&self) {
        *self.held.lock().unwrap() = None;
    }

    pub fn add(&self) {
        if self.held.lock().unwrap().is_some() {
            let before = *self.sum.lock().unwrap(); //~
            *self.sum.lock().unwrap() = before + 1; //~
        }
    }
}

/// A state that holds what may be gone: which state it is, is something else than whether that is there.
pub enum Call {
    Ringing,
    Talking(Option<u32>),
    Ended,
}

pub struct Phone {
    call: Mutex<Call>,
    missed: Mutex<u32>,
}

impl Phone {
    pub fn new() -> Phone {
        Phone { call: Mutex::new(Call::Ringing), missed: Mutex::new(0) }
    }

    pub fn hang_up(&self) -> Option<u32> {
        let mut call = self.call.lock().unwrap();
        let Call::Talking(other) = &mut *call else { return None };
        let other = other.take();
        *call = Call::Ended;
        other
    }

    pub fn pick_up(&self, other: u32) {
        let mut call = self.call.lock().unwrap();
        if let Call::Ringing = &*call {
            *call = Call::Talking(Some(other));
        }
    }

    pub fn forget_one(&self) {
        if *self.missed.lock().unwrap() > 0 { //~
            *self.missed.lock().unwrap() -= 1; //~
        }
    }
}

impl Default for Phone {
    fn default() -> Phone {
        Phone::new()
    }
}

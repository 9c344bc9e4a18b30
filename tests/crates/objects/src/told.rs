//! What can be told of is state all the same, where a lock guards it.

use std::fmt;
use std::sync::{Arc, Mutex};

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Idle,
    Busy,
    Failed(u32),
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Idle => "idle",
            Phase::Busy => "busy",
            Phase::Failed(_) => "failed",
        })
    }
}

#[derive(Default)]
pub struct Progress {
    done: u32,
    name: String,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.done)
    }
}

fn is_below(progress: &Progress, most: u32) -> bool {
    progress.done < most //~
}

fn advance(progress: &mut Progress) {
    progress.done += 1; //~
}

#[derive(Default)]
pub struct Job {
    progress: Mutex<Progress>,
    boxed: Mutex<Box<Progress>>,
    phase: Mutex<Phase>,
}

impl Job {
    pub fn step(&self, most: u32) -> bool {
        if !is_below(&self.progress.lock().unwrap(), most) {
            return false;
        }
        advance(&mut self.progress.lock().unwrap());
        true
    }

    pub fn step_boxed(&self, most: u32) -> bool {
        let is_below = self.boxed.lock().unwrap().done < most; //~
        if is_below {
            self.boxed.lock().unwrap().done += 1; //~
        }
        is_below
    }

    pub fn step_boxed_at_once(&self, most: u32) -> bool {
        let mut boxed = self.boxed.lock().unwrap();
        let is_below = boxed.done < most;
        if is_below {
            boxed.done += 1;
        }
        is_below
    }

    pub fn step_at_once(&self, most: u32) -> bool {
        let mut progress = self.progress.lock().unwrap();
        let is_below = is_below(&progress, most);
        if is_below {
            advance(&mut progress);
        }
        is_below
    }

    pub fn begin(&self) -> bool {
        let phase: Phase = *self.phase.lock().unwrap(); //~
        if phase != Phase::Idle {
            return false;
        }
        enter(&mut self.phase.lock().unwrap());
        true
    }

    pub fn told(&self) -> Arc<str> {
        self.progress.lock().unwrap().to_string().into()
    }
}

fn enter(phase: &mut Phase) {
    *phase = Phase::Busy; //~
}

//! Whoever takes a value by itself has it alone: nobody borrows it any more, unless it can be cloned, or its parts are others' as well.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct State {
    jobs: Vec<u32>,
    closed: bool,
}

/// Only a note.
#[derive(Default)]
pub struct Queue {
    state: Arc<Mutex<State>>,
}

impl Queue {
    pub fn submit(&self, job: u32) -> bool {
        if self.state.lock().unwrap().closed { //~
            return false;
        }
        self.state.lock().unwrap().jobs.push(job); //~
        true
    }

    pub fn close(self) -> Vec<u32> {
        let mut state = self.state.lock().unwrap();
        state.closed = true; //~
        std::mem::take(&mut state.jobs) //~
    }
}

/// A clone is taken while another one is borrowed.
#[derive(Clone, Default)]
pub struct Handle {
    state: Arc<Mutex<State>>,
}

impl Handle {
    pub fn submit(&self, job: u32) -> bool {
        if self.state.lock().unwrap().closed { //~
            return false;
        }
        self.state.lock().unwrap().jobs.push(job); //~
        true
    }

    pub fn close(self) -> Vec<u32> {
        let mut state = self.state.lock().unwrap();
        state.closed = true; //~
        std::mem::take(&mut state.jobs) //~
    }
}

/// What asks for a host, by the numbers that are in use there.
#[derive(Clone, Default)]
struct Numbers {
    used: Arc<Mutex<HashMap<u32, u32>>>,
}

/// Each has itself alone, but not the numbers.
pub struct Caller {
    numbers: Numbers,
}

impl Caller {
    pub fn call(&mut self, host: u32) -> u32 {
        let next = self.numbers.used.lock().unwrap().get(&host).copied().unwrap_or(0) + 1; //~
        self.numbers.used.lock().unwrap().insert(host, next); //~
        next
    }
}

#[derive(Default)]
pub struct Line {
    numbers: Numbers,
}

impl Line {
    pub fn caller(&self) -> Caller {
        Caller { numbers: self.numbers.clone() }
    }
}

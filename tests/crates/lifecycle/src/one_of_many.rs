//! Conditions at which one is woken where many may go on.
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// All who wait may go on when it is open, and one is woken.
#[derive(Default)]
pub struct Gate {
    opened: Condvar,
    open: Mutex<bool>,
}

impl Gate {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_one(); //~ never-woken
    }

    pub fn pass(&self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.opened.wait(open).unwrap();
        }
    }
}

/// Each one wakes the next.
#[derive(Default)]
pub struct Chain {
    opened: Condvar,
    open: Mutex<bool>,
}

impl Chain {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_one();
    }

    pub fn pass(&self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.opened.wait(open).unwrap();
        }
        drop(open);
        self.opened.notify_one();
    }
}

/// All are woken where it matters to all.
#[derive(Default)]
pub struct Queue {
    changed: Condvar,
    state: Mutex<(VecDeque<u32>, bool)>,
}

impl Queue {
    pub fn push(&self, item: u32) {
        self.state.lock().unwrap().0.push_back(item);
        self.changed.notify_one();
    }

    pub fn close(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }

    pub fn pop(&self) -> Option<u32> {
        let mut state = self.state.lock().unwrap();
        loop {
            if let Some(item) = state.0.pop_front() {
                return Some(item);
            }
            if state.1 {
                return None;
            }
            state = self.changed.wait(state).unwrap();
        }
    }
}

/// Who was woken takes what it was woken for.
#[derive(Default)]
pub struct Permits {
    given: Condvar,
    left: Mutex<u32>,
}

impl Permits {
    pub fn give(&self) {
        *self.left.lock().unwrap() += 1;
        self.given.notify_one();
    }

    pub fn take(&self) {
        let mut left = self.left.lock().unwrap();
        while *left == 0 {
            left = self.given.wait(left).unwrap();
        }
        *left -= 1;
    }
}

/// There is but one who waits.
#[derive(Default)]
pub struct Waiter {
    opened: Condvar,
    open: Mutex<bool>,
}

impl Waiter {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_one();
    }

    pub fn pass(&mut self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.opened.wait(open).unwrap();
        }
    }
}

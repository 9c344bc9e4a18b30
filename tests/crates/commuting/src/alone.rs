//! Variables that are often changed one without the other need not agree.

use std::sync::Mutex;

#[derive(Default)]
struct Fleet {
    parked: u32,
    owned: u32,
}

/// Cars come and go, and some are sold while they are away: how many are parked says little of how many there are.
#[derive(Default)]
pub struct Garage {
    fleet: Mutex<Fleet>,
}

impl Garage {
    pub fn sell(&self) {
        self.fleet.lock().unwrap().parked -= 1;
        self.fleet.lock().unwrap().owned -= 1;
    }

    pub fn leave(&self) {
        self.fleet.lock().unwrap().parked -= 1;
    }

    pub fn come_back(&self) {
        self.fleet.lock().unwrap().parked += 1;
    }

    pub fn sizes(&self) -> (u32, u32) {
        let fleet = self.fleet.lock().unwrap();
        (fleet.parked, fleet.owned)
    }
}

#[derive(Default)]
struct Frame {
    left: i32,
    right: i32,
}

/// Both edges move with the window, and nothing else moves either.
#[derive(Default)]
pub struct Window {
    frame: Mutex<Frame>,
}

impl Window {
    pub fn shift(&self, by: i32) {
        self.frame.lock().unwrap().left = by; //~
        self.frame.lock().unwrap().right = by + 640; //~
    }

    pub fn width(&self) -> i32 {
        let frame = self.frame.lock().unwrap();
        frame.right - frame.left //~
    }
}

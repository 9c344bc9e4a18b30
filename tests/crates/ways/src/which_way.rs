//! A function that is given a variant compares it: what is done for others is not done.

use std::sync::Mutex;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Stay,
    Back,
    On,
}

#[derive(Default)]
pub struct Dial {
    at: Mutex<u64>,
}

impl Dial {
    fn turn(&self, way: Way) -> u64 {
        let at = *self.at.lock().unwrap();
        if way == Way::Back || way == Way::On {
            *self.at.lock().unwrap() = at + 1;
        }
        at
    }

    /// Nobody turns it.
    pub fn stay(&self) -> u64 {
        self.turn(Way::Stay)
    }

    pub fn set(&self, at: u64) {
        *self.at.lock().unwrap() = at;
    }
}

#[derive(Default)]
pub struct Wheel {
    at: Mutex<u64>,
}

impl Wheel {
    fn turn(&self, way: Way) -> u64 {
        let at = *self.at.lock().unwrap(); //~
        if way != Way::Stay {
            *self.at.lock().unwrap() = at + 1; //~
        }
        at
    }

    pub fn go_on(&self) -> u64 {
        self.turn(Way::On)
    }

    pub fn go_back(&self) -> u64 {
        self.turn(Way::Back)
    }
}

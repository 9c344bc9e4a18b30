//! What one round of a loop notes, and a later one, or what comes behind the loop, asks for.

use std::collections::HashMap;
use std::sync::Mutex;

fn message() -> Option<u32> {
    std::env::args().next().map(|text| text.len() as u32)
}

/// Who is in which room. The room is left by whoever is the last: seen in one section, done in another.
#[derive(Default)]
pub struct Rooms {
    present: Mutex<HashMap<u32, usize>>,
}

impl Rooms {
    fn enter(&self, room: u32) {
        *self.present.lock().unwrap().entry(room).or_insert(0) += 1; //~
    }

    fn leave(&self, room: u32) -> usize {
        let mut present = self.present.lock().unwrap();
        let count = present.entry(room).or_insert(1);
        *count -= 1;
        *count //~
    }

    /// The room is chosen by the first message, and left behind the loop.
    pub fn serve(&self) {
        let mut chosen: Option<u32> = None;
        loop {
            match message() {
                Some(room) => {
                    if chosen.is_none() {
                        self.enter(room);
                        chosen = Some(room);
                    }
                }
                None => break,
            }
        }
        if let Some(room) = chosen.as_ref() {
            if self.leave(*room) == 0 {
                self.present.lock().unwrap().remove(room); //~
            }
        }
    }
}

/// The same, where it is left in the section that counts.
#[derive(Default)]
pub struct Halls {
    present: Mutex<HashMap<u32, usize>>,
}

impl Halls {
    fn enter(&self, hall: u32) {
        *self.present.lock().unwrap().entry(hall).or_insert(0) += 1;
    }

    fn leave(&self, hall: u32) {
        let mut present = self.present.lock().unwrap();
        let count = present.entry(hall).or_insert(1);
        *count -= 1;
        if *count == 0 {
            present.remove(&hall);
        }
    }

    pub fn serve(&self) {
        let mut chosen: Option<u32> = None;
        loop {
            match message() {
                Some(hall) => {
                    if chosen.is_none() {
                        self.enter(hall);
                        chosen = Some(hall);
                    }
                }
                None => break,
            }
        }
        if let Some(hall) = chosen.as_ref() {
            self.leave(*hall);
        }
    }
}

/// A number that is read in the first round and written in a later one.
#[derive(Default)]
pub struct Meter {
    value: Mutex<u64>,
}

impl Meter {
    pub fn measure(&self) {
        let mut first = true;
        let mut seen = 0;
        while let Some(more) = message() {
            if first {
                seen = *self.value.lock().unwrap(); //~
                first = false;
            } else {
                *self.value.lock().unwrap() = seen + u64::from(more); //~
                return;
            }
        }
    }
}

/// One that is looked at again where it is written.
#[derive(Default)]
pub struct Gauge {
    value: Mutex<u64>,
}

impl Gauge {
    pub fn measure(&self) {
        let mut first = true;
        while let Some(more) = message() {
            if first {
                *self.value.lock().unwrap() += 1;
                first = false;
            } else {
                *self.value.lock().unwrap() += u64::from(more);
                return;
            }
        }
    }
}

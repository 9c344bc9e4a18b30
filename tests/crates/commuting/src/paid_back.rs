//! What is taken back in any case, wherever that is: no look decides whether it is.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

pub struct Boat(u32);

impl Boat {
    fn build(wood: u32) -> Option<Boat> {
        (wood > 3).then_some(Boat(wood))
    }

    fn is_tight(&self) -> bool {
        self.0 > 0
    }

    fn row(&mut self, far: u32) -> Option<u32> {
        self.0.checked_sub(far)
    }
}

/// Boats are rented, as many at a time as there are oars: an oar is given back by whoever has it, whether or not there was a boat.
#[derive(Default)]
pub struct Quay {
    moored: Mutex<VecDeque<Boat>>,
    oars: Mutex<usize>,
    given_back: Condvar,
}

struct Rent<'q> {
    quay: &'q Quay,
    boat: Option<Boat>,
}

impl Rent<'_> {
    fn moor(mut self) {
        if let Some(boat) = self.boat.take() {
            let mut moored = self.quay.moored.lock().unwrap();
            if moored.len() < 5 {
                moored.push_back(boat);
            }
        }
    }
}

impl Drop for Rent<'_> {
    fn drop(&mut self) {
        *self.quay.oars.lock().unwrap() -= 1;
        self.quay.given_back.notify_one();
    }
}

impl Quay {
    fn take_oar(&self) {
        let mut oars = self.oars.lock().unwrap();
        while *oars >= 9 {
            oars = self.given_back.wait(oars).unwrap();
        }
        *oars += 1;
    }

    fn rent(&self, wood: u32) -> Option<Rent<'_>> {
        self.take_oar();
        let mut rent = Rent { quay: self, boat: None };
        loop {
            let Some(boat) = self.moored.lock().unwrap().pop_back() else { break };
            if boat.is_tight() {
                rent.boat = Some(boat);
                return Some(rent);
            }
        }
        rent.boat = Some(Boat::build(wood)?);
        Some(rent)
    }

    pub fn row(&self, wood: u32, far: u32) -> Option<u32> {
        let mut rent = self.rent(wood)?;
        let left = rent.boat.as_mut().unwrap().row(far)?;
        rent.moor();
        Some(left)
    }
}

/// Who finds nothing to row goes home, and whoever finds something stays: a guest that comes in between counts on who has gone by then.
#[derive(Default)]
pub struct Ferry {
    guests: Mutex<VecDeque<u32>>,
    rowers: Mutex<usize>,
}

impl Ferry {
    pub fn stay(&self) -> bool {
        *self.rowers.lock().unwrap() += 1;
        let nobody = self.guests.lock().unwrap().is_empty(); //~
        if nobody {
            *self.rowers.lock().unwrap() -= 1; //~
            return false;
        }
        true
    }

    pub fn come(&self, guest: u32) -> bool {
        self.guests.lock().unwrap().push_back(guest); //~
        *self.rowers.lock().unwrap() > 0 //~
    }
}

/// One oar, or two if nobody is there: what is given back is as much as was taken, but who is told to row with one has none left.
#[derive(Default)]
pub struct Raft {
    guests: Mutex<VecDeque<u32>>,
    oars: Mutex<usize>,
}

impl Raft {
    pub fn push_off(&self) -> usize {
        *self.oars.lock().unwrap() += 2;
        let alone = self.guests.lock().unwrap().is_empty(); //~
        if alone {
            *self.oars.lock().unwrap() -= 1; //~
        }
        usize::from(alone)
    }

    pub fn step_on(&self, guest: u32) -> usize {
        self.guests.lock().unwrap().push_back(guest); //~
        *self.oars.lock().unwrap() //~
    }
}

/// As the quay, but whoever comes leaves it to those who are counted: one who has found nobody is about to go.
#[derive(Default)]
pub struct Bridge {
    guests: Mutex<VecDeque<u32>>,
    guides: Mutex<usize>,
}

struct Guide<'b> {
    bridge: &'b Bridge,
    guest: Option<u32>,
}

impl Drop for Guide<'_> {
    fn drop(&mut self) {
        *self.bridge.guides.lock().unwrap() -= 1; //~
    }
}

impl Bridge {
    fn meet(&self) -> Option<Guide<'_>> {
        *self.guides.lock().unwrap() += 1;
        let mut guide = Guide { bridge: self, guest: None };
        guide.guest = Some(self.guests.lock().unwrap().pop_front()?); //~
        Some(guide)
    }

    pub fn guide(&self) -> Option<u32> {
        self.meet()?.guest.take()
    }

    pub fn come(&self, guest: u32) -> bool {
        self.guests.lock().unwrap().push_back(guest); //~
        *self.guides.lock().unwrap() == 0 //~
    }
}

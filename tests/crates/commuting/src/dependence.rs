//! A change that would be the same whatever was seen before relies on nothing.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicU16, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

/// A job's state is told as it goes on; nobody acts on what it was.
#[derive(Default)]
pub struct Progress {
    stages: Mutex<BTreeMap<u8, &'static str>>,
}

impl Progress {
    pub fn work(&self, job: u8) -> usize {
        self.stages.lock().unwrap().insert(job, "begun");
        let found = (0..u32::from(job)).filter(|n| n % 3 == 0).count();
        self.stages.lock().unwrap().insert(job, "ended");
        found
    }

    pub fn stage(&self, job: u8) -> Option<&'static str> {
        self.stages.lock().unwrap().get(&job).copied()
    }
}

/// The same, but what is stored the second time was made of what was there.
#[derive(Default)]
pub struct Tally {
    points: Mutex<BTreeMap<u8, i64>>,
}

impl Tally {
    pub fn double(&self, player: u8) {
        let points = self.points.lock().unwrap().get(&player).copied().unwrap_or(1); //~
        self.points.lock().unwrap().insert(player, points * 2); //~
    }

    pub fn reset(&self, player: u8) {
        self.points.lock().unwrap().insert(player, 0);
    }
}

/// A name is read for a greeting, and the greeting is kept elsewhere: it does not depend on the mood.
#[derive(Default)]
pub struct Host {
    mood: RwLock<i8>,
    guests: Mutex<VecDeque<u32>>,
}

impl Host {
    pub fn welcome(&self, guest: u32) -> bool {
        let merry = *self.mood.read().unwrap() > 0;
        self.guests.lock().unwrap().push_front(guest);
        merry
    }

    pub fn toast(&self) -> usize {
        let guests = self.guests.lock().unwrap();
        *self.mood.write().unwrap() = 5;
        guests.len()
    }
}

/// Here the mood decides who is let in.
#[derive(Default)]
pub struct Bouncer {
    mood: RwLock<i8>,
    inside: Mutex<VecDeque<u32>>,
}

impl Bouncer {
    pub fn let_in(&self, guest: u32) {
        let grim = *self.mood.read().unwrap() < 0; //~
        if !grim {
            self.inside.lock().unwrap().push_front(guest); //~
        }
    }

    pub fn close(&self) -> usize {
        *self.mood.write().unwrap() = -1;
        self.inside.lock().unwrap().len()
    }
}

/// The needle is set twice, each time to what was measured.
#[derive(Default)]
pub struct Needle(AtomicI64);

impl Needle {
    pub fn measure(&self, coarse: i64, fine: i64) {
        self.0.store(coarse, SeqCst);
        self.0.store(fine, SeqCst);
    }

    pub fn angle(&self) -> i64 {
        self.0.load(SeqCst)
    }
}

fn adjusted(angle: u16) -> u16 {
    if angle > 180 { angle - 1 } else { angle + 1 }
}

/// The second value is made of the first, in a function of its own.
#[derive(Default)]
pub struct Rudder(AtomicU16);

impl Rudder {
    pub fn steer(&self) {
        let angle = self.0.load(SeqCst); //~
        let next = adjusted(angle);
        self.0.store(next, SeqCst); //~
    }
}

/// When things were swept last.
#[derive(Default)]
struct Swept {
    yard: u64,
    hall: u64,
}

/// What was seen of both is carried together, and each decides on its own.
#[derive(Default)]
pub struct Caretaker {
    swept: RwLock<Swept>,
    leaves: Mutex<Vec<u64>>,
    crumbs: Mutex<Vec<u64>>,
}

impl Caretaker {
    pub fn round(&self, today: u64) -> u64 {
        let (yard, hall) = {
            let swept = self.swept.read().unwrap();
            (swept.yard, swept.hall)
        };
        if yard < today {
            self.leaves.lock().unwrap().clear();
        }
        today - hall.min(today)
    }

    /// Goes by the leaves, and says when the hall was swept: the round does not look at that for them.
    pub fn party(&self) {
        let leaves = self.leaves.lock().unwrap();
        self.swept.write().unwrap().hall = leaves.len() as u64;
    }

    pub fn night(&self, today: u64) -> u64 {
        let (yard, hall) = {
            let swept = self.swept.read().unwrap();
            (swept.yard, swept.hall) //~
        };
        if hall < today {
            self.crumbs.lock().unwrap().clear(); //~
        }
        today - yard.min(today)
    }

    pub fn feast(&self) {
        let crumbs = self.crumbs.lock().unwrap();
        self.swept.write().unwrap().hall = crumbs.len() as u64; //~
    }
}

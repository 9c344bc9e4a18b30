//! Whoever has moved something out of where others find it has it alone, until it is given back.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

trait Chore: Send {
    fn step(&self) -> bool;
    fn left(&self) -> u32;
}

struct Dishes {
    left: AtomicU32,
}

impl Chore for Dishes {
    fn step(&self) -> bool {
        let left = self.left.load(Ordering::SeqCst);
        if left == 0 {
            return false;
        }
        self.left.store(left - 1, Ordering::SeqCst);
        true
    }

    fn left(&self) -> u32 {
        self.left.load(Ordering::SeqCst)
    }
}

struct Laundry {
    left: Mutex<u32>,
}

impl Chore for Laundry {
    fn step(&self) -> bool {
        if *self.left.lock().unwrap() < 2 {
            return false;
        }
        *self.left.lock().unwrap() -= 2;
        true
    }

    fn left(&self) -> u32 {
        *self.left.lock().unwrap()
    }
}

/// All of a list at once, or one of it, whoever knows what is behind the trait.
#[derive(Default)]
pub struct House {
    chores: Mutex<Vec<Box<dyn Chore>>>,
}

impl House {
    pub fn dishes(&self, left: u32) {
        self.chores.lock().unwrap().push(Box::new(Dishes { left: AtomicU32::new(left) }));
    }

    pub fn laundry(&self, left: u32) {
        self.chores.lock().unwrap().push(Box::new(Laundry { left: Mutex::new(left) }));
    }

    pub fn clean(&self) -> u32 {
        let chores = std::mem::take(&mut *self.chores.lock().unwrap());
        chores.into_iter().map(|chore| u32::from(chore.step()) + chore.left()).sum()
    }

    pub fn help(&self) -> u32 {
        let Some(chore) = self.chores.lock().unwrap().pop() else { return 0 };
        while chore.step() {}
        let left = chore.left();
        self.chores.lock().unwrap().push(chore);
        left
    }
}

struct Guest {
    drinks: Mutex<u32>,
}

impl Guest {
    fn pay(&self) -> u32 {
        let drinks = *self.drinks.lock().unwrap();
        if drinks > 0 {
            *self.drinks.lock().unwrap() = drinks - 1;
        }
        drinks
    }
}

/// Out of a map, and into another one.
#[derive(Default)]
pub struct Bar {
    inside: Mutex<HashMap<u32, Guest>>,
    gone: Mutex<HashMap<u32, Guest>>,
}

impl Bar {
    pub fn enter(&self, table: u32) {
        let guest = Guest { drinks: Mutex::new(0) };
        guest.pay();
        self.inside.lock().unwrap().insert(table, guest);
    }

    pub fn drink(&self, table: u32) {
        if let Some(guest) = self.inside.lock().unwrap().get(&table) {
            *guest.drinks.lock().unwrap() += 1;
        }
    }

    pub fn leave(&self, table: u32) -> u32 {
        let Some(guest) = self.inside.lock().unwrap().remove(&table) else { return 0 };
        let paid = guest.pay();
        self.gone.lock().unwrap().insert(table, guest);
        paid
    }
}

trait Bell: Send + Sync {
    fn ring(&self) -> bool;
}

struct Small {
    rung: AtomicU32,
}

impl Bell for Small {
    fn ring(&self) -> bool {
        let rung = self.rung.load(Ordering::SeqCst); //~
        if rung > 9 {
            return false;
        }
        self.rung.store(rung + 1, Ordering::SeqCst); //~
        true
    }
}

/// A box that stays where it is has what all have who come by.
pub struct Door {
    bell: Box<dyn Bell>,
}

impl Door {
    pub fn new() -> Door {
        Door { bell: Box::new(Small { rung: AtomicU32::new(0) }) }
    }

    pub fn ring(&self) -> bool {
        self.bell.ring()
    }
}

struct Tally {
    count: AtomicU32,
}

struct Slip {
    tally: Arc<Tally>,
}

impl Slip {
    fn note(&self) {
        let count = self.tally.count.load(Ordering::SeqCst); //~
        self.tally.count.store(count + 1, Ordering::SeqCst); //~
    }
}

static SLIPS: Mutex<Vec<Slip>> = Mutex::new(Vec::new());

/// Each slip is had by one, but all lead to one tally.
pub fn hand_out() {
    let tally = Arc::new(Tally { count: AtomicU32::new(0) });
    for _ in 0..2 {
        SLIPS.lock().unwrap().push(Slip { tally: tally.clone() });
    }
}

pub fn note() {
    let slip = SLIPS.lock().unwrap().pop();
    if let Some(slip) = slip {
        slip.note();
    }
}

#[derive(Default)]
struct Bowl {
    nuts: AtomicU32,
}

impl Bowl {
    fn add(&self) {
        let nuts = self.nuts.load(Ordering::SeqCst); //~
        self.nuts.store(nuts + 1, Ordering::SeqCst); //~
    }
}

/// What is owned here is lent to two at once.
pub fn fill() -> u32 {
    let bowl = Bowl::default();
    std::thread::scope(|scope| {
        scope.spawn(|| bowl.add());
        scope.spawn(|| bowl.add());
    });
    bowl.nuts.load(Ordering::SeqCst)
}

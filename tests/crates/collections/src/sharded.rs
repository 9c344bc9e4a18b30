//! What a concurrent map holds, whoever put it there, is as shared as the map is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use dashmap::DashMap;

static SEATS: LazyLock<DashMap<u64, Arc<Mutex<u64>>>> = LazyLock::new(DashMap::new);

/// Gives a table so many seats as it has guests, and counts the guests twice.
pub fn seat(table: u64) {
    let guests = SEATS.entry(table).or_default().clone();
    let counted = *guests.lock().unwrap(); //~
    *guests.lock().unwrap() = counted * 2 + 1; //~
}

/// Meters that somebody else may have installed.
#[derive(Default)]
pub struct Meters {
    flow: DashMap<u64, Arc<Mutex<u64>>>,
    heat: DashMap<String, Arc<AtomicU64>>,
    power: DashMap<u64, Arc<Mutex<u64>>>,
}

impl Meters {
    /// Nobody here puts a meter there: who made the map did.
    pub fn read_off(&self, house: u64) -> Option<u64> {
        let meter = self.flow.get(&house)?.clone();
        let shown = *meter.lock().unwrap(); //~
        *meter.lock().unwrap() = shown / 2; //~
        Some(shown)
    }

    pub fn install(&self, house: u64) {
        self.power.insert(house, Arc::new(Mutex::new(0)));
    }

    pub fn read_power(&self, house: u64) -> Option<u64> {
        let meter = Arc::clone(self.power.get(&house)?.value());
        let shown = *meter.lock().unwrap(); //~
        *meter.lock().unwrap() = shown / 2; //~
        Some(shown)
    }

    pub fn warm(&self, room: &str) {
        let meter = self.heat.entry(room.to_owned()).or_default().clone();
        let before = meter.load(Ordering::SeqCst); //~
        meter.store(before * 2 + 1, Ordering::SeqCst); //~
    }
}

/// The same meters, each looked at and changed in one piece.
#[derive(Default)]
pub struct GoodMeters {
    flow: DashMap<u64, Arc<Mutex<u64>>>,
    heat: DashMap<String, Arc<AtomicU64>>,
}

impl GoodMeters {
    pub fn read_off(&self, house: u64) -> Option<u64> {
        let meter = self.flow.get(&house)?.clone();
        let mut shown = meter.lock().unwrap();
        *shown /= 2;
        Some(*shown)
    }

    pub fn warm(&self, room: &str) {
        let meter = self.heat.entry(room.to_owned()).or_default().clone();
        meter.fetch_add(1, Ordering::SeqCst);
    }
}

/// A lock for each house is enough for what is only touched under it.
#[derive(Default)]
pub struct Bills {
    turns: DashMap<u64, Arc<Mutex<()>>>,
    sums: Mutex<u64>,
    fees: Mutex<u64>,
}

impl Bills {
    pub fn charge(&self) {
        let turn = self.turns.entry(0).or_default().clone();
        let _mine = turn.lock().unwrap();
        let sum = *self.sums.lock().unwrap();
        *self.sums.lock().unwrap() = sum * 2 + 1;
    }

    pub fn refund(&self) {
        let Some(turn) = self.turns.get(&0).map(|turn| turn.value().clone()) else { return };
        let _mine = turn.lock().unwrap();
        let sum = *self.sums.lock().unwrap();
        *self.sums.lock().unwrap() = sum / 2;
    }

    pub fn raise_fee(&self) {
        let fee = *self.fees.lock().unwrap(); //~
        *self.fees.lock().unwrap() = fee * 2 + 1; //~
    }
}

/// Whoever finds a lamp has one that stays: others only hang one where there is none.
#[derive(Default)]
pub struct Lamps {
    lit: DashMap<u64, Arc<Mutex<u64>>>,
}

impl Lamps {
    pub fn brighten(&self, room: u64) -> Option<u64> {
        let lamp = self.lit.get(&room)?.clone();
        let mut power = lamp.lock().unwrap();
        *power += 1;
        Some(*power)
    }

    pub fn hang(&self, room: u64) -> u64 {
        let lamp = self.lit.entry(room).or_default().clone();
        let power = *lamp.lock().unwrap();
        power
    }
}

/// Sessions that are over are taken out only if they still are.
#[derive(Default)]
pub struct Sessions {
    until: DashMap<u64, u64>,
}

impl Sessions {
    pub fn sweep(&self, now: u64) {
        let over: Vec<u64> = self.until.iter().filter(|entry| *entry.value() < now).map(|entry| *entry.key()).collect();
        for session in over {
            self.until.remove_if(&session, |_, until| *until < now);
        }
    }

    pub fn prolong(&self, session: u64, until: u64) {
        self.until.insert(session, until);
    }
}

/// Taken out though they may have been prolonged.
#[derive(Default)]
pub struct Tickets {
    until: DashMap<u64, u64>,
}

impl Tickets {
    pub fn sweep(&self, now: u64) {
        let over: Vec<u64> = self.until.iter().filter(|entry| *entry.value() < now).map(|entry| *entry.key()).collect(); //~
        for ticket in over {
            self.until.remove(&ticket); //~
        }
    }

    pub fn prolong(&self, ticket: u64, until: u64) {
        self.until.insert(ticket, until); //~
    }
}

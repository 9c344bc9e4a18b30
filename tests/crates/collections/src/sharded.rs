//! What a concurrent map holds, whoever put it there, is as shared as the map is.

use std::collections::HashMap;
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

/// A lock for each house is enough for what is that house's own, and not for what all of them share.
#[derive(Default)]
pub struct Bills {
    turns: DashMap<u64, Arc<Mutex<()>>>,
    sums: Mutex<HashMap<u64, u64>>,
    total: Mutex<u64>,
    fees: Mutex<u64>,
}

impl Bills {
    pub fn charge(&self, house: u64) {
        let turn = self.turns.entry(house).or_default().clone();
        let _mine = turn.lock().unwrap();
        let sum = self.sums.lock().unwrap().get(&house).copied().unwrap_or(0);
        self.sums.lock().unwrap().insert(house, sum * 2 + 1);
    }

    pub fn collect(&self, house: u64) {
        let turn = self.turns.entry(house).or_default().clone();
        let _mine = turn.lock().unwrap();
        let total = *self.total.lock().unwrap(); //~
        *self.total.lock().unwrap() = total * 2 + 1; //~
    }

    pub fn raise_fee(&self) {
        let fee = *self.fees.lock().unwrap(); //~
        *self.fees.lock().unwrap() = fee * 2 + 1; //~
    }
}

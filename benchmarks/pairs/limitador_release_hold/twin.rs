// Kuadrant/limitador, PR #515: release() holds the admission lock from its look at the entry to the removal of the empty one, so no reserve() can put a hold into an entry that is about to be removed.
use dashmap::DashMap;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    pub namespace: String,
    pub name: String,
    pub max_value: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Counter {
    limit: Arc<Limit>,
    set_variables: BTreeMap<String, String>,
}

impl Counter {
    pub fn new(limit: Arc<Limit>, set_variables: BTreeMap<String, String>) -> Self {
        Self { limit, set_variables }
    }

    pub fn max_value(&self) -> u64 {
        self.limit.max_value
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    Reserved(ReservationId),
    Limited { limit_name: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReservationId(u64);

#[derive(Default)]
struct CounterReservations {
    holds: HashMap<ReservationId, u64>,
}

impl CounterReservations {
    fn total(&self) -> u64 {
        self.holds.values().sum()
    }
}

/// The amounts that are reserved and neither committed nor given back.
#[derive(Default)]
struct LocalReservationRegistry {
    entries: DashMap<Counter, Arc<Mutex<CounterReservations>>>,
    admission_lock: Mutex<()>,
    next_id: AtomicU64,
}

impl LocalReservationRegistry {
    fn reserve(&self, counter: &Counter, amount: u64, used: impl FnOnce() -> u64) -> Option<ReservationId> {
        let _admission = self.admission_lock.lock();
        let entry = self.entries.entry(counter.clone()).or_default().value().clone();
        let mut reservations = entry.lock();
        if used() + reservations.total() + amount > counter.max_value() {
            return None;
        }
        let id = ReservationId(self.next_id.fetch_add(1, Ordering::Relaxed));
        reservations.holds.insert(id, amount);
        Some(id)
    }

    /// Gives a hold back; `settle` runs if it was there.
    fn release(&self, counter: &Counter, id: ReservationId, settle: impl FnOnce()) -> bool {
        let _admission = self.admission_lock.lock();
        let Some(entry) = self.entries.get(counter).map(|entry| entry.value().clone()) else {
            return false;
        };
        let now_empty = {
            let mut reservations = entry.lock();
            if reservations.holds.remove(&id).is_none() {
                return false;
            }
            settle();
            reservations.holds.is_empty()
        };
        if now_empty {
            self.entries.remove(counter);
        }
        true
    }
}

#[derive(Default)]
pub struct InMemoryStorage {
    values: DashMap<Counter, u64>,
    reservations: LocalReservationRegistry,
}

impl InMemoryStorage {
    fn value(&self, counter: &Counter) -> u64 {
        self.values.get(counter).map_or(0, |value| *value)
    }

    /// Admits a request of which only an estimate of its cost is known.
    pub fn reserve(&self, counter: &Counter, estimate: u64) -> Admission {
        match self.reservations.reserve(counter, estimate, || self.value(counter)) {
            Some(id) => Admission::Reserved(id),
            None => Admission::Limited { limit_name: counter.limit.name.clone() },
        }
    }

    /// Replaces the estimate by what the request did cost.
    pub fn commit_reservation(&self, counter: &Counter, id: ReservationId, actual: u64) -> bool {
        self.reservations.release(counter, id, || {
            *self.values.entry(counter.clone()).or_insert(0) += actual;
        })
    }

    pub fn cancel_reservation(&self, counter: &Counter, id: ReservationId) -> bool {
        self.reservations.release(counter, id, || ())
    }
}

// Concert seats: the status is looked at under the read lock; the second section does not look again.
use parking_lot::RwLock;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub enum Seat { Free, Held { by: u64 }, Sold { by: u64, cents: u32 } }

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place { pub row: u16, pub number: u16 }

#[derive(Default)]
pub struct Hall { plan: RwLock<BTreeMap<Place, Seat>> }

impl Hall {
    pub fn open(&self, places: &[Place]) {
        let mut plan = self.plan.write();
        for p in places { plan.entry(*p).or_insert(Seat::Free); }
    }
    pub fn sell(&self, place: Place, by: u64, cents: u32) -> Result<(), &'static str> {
        match self.plan.read().get(&place) { //~
            Some(Seat::Free) => {}
            Some(Seat::Held { by: holder }) if *holder == by => {}
            Some(_) => return Err("taken"),
            None => return Err("no such place"),
        }
        self.plan.write().insert(place, Seat::Sold { by, cents }); //~
        Ok(())
    }
    pub fn hold(&self, place: Place, by: u64) -> bool {
        match self.plan.write().get_mut(&place) {
            Some(seat @ Seat::Free) => { *seat = Seat::Held { by }; true }
            _ => false,
        }
    }
    pub fn seat(&self, place: Place) -> Option<Seat> { self.plan.read().get(&place).cloned() }
}

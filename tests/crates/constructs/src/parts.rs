//! A guard of a part of what is behind a lock holds all of the lock.

use std::collections::BTreeMap;
use std::ops::DerefMut;

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard, RwLock, RwLockUpgradableReadGuard, RwLockWriteGuard};
use tokio::sync::watch;

/// A room of a house.
#[derive(Default)]
pub struct Room {
    lamps: u32,
    sealed: bool,
}

/// Whoever has a room has the house.
pub struct House {
    rooms: RwLock<BTreeMap<u8, Room>>,
    plan: watch::Sender<Vec<(u8, u32)>>,
    cellar: Mutex<Room>,
}

impl House {
    pub fn new(rooms: BTreeMap<u8, Room>) -> House {
        House { rooms: RwLock::new(rooms), plan: watch::channel(Vec::new()).0, cellar: Mutex::default() }
    }

    fn room(&self, number: u8) -> Result<impl DerefMut<Target = Room> + '_, String> {
        let rooms = self.rooms.write();
        match rooms.get(&number) {
            Some(room) if !room.sealed => {
                Ok(RwLockWriteGuard::map(rooms, |rooms| rooms.get_mut(&number).unwrap()))
            }
            Some(_) => Err(format!("{number} is sealed")),
            None => Err(format!("there is no {number}")),
        }
    }

    pub fn light(&self, number: u8) -> Result<(), String> {
        let mut room = self.room(number)?;
        room.lamps += 1;
        let lamps = room.lamps;
        self.plan.send_modify(|plan| {
            plan.retain(|(known, _)| *known != number);
            plan.push((number, lamps));
        });
        Ok(())
    }

    pub fn seal(&self, number: u8) -> Result<(), String> {
        let mut room = self.room(number)?;
        room.sealed = true;
        self.plan.send_modify(|plan| plan.retain(|(known, _)| *known != number));
        Ok(())
    }

    pub fn unseal(&self, number: u8) {
        let rooms = self.rooms.upgradable_read();
        if rooms.get(&number).is_some_and(|room| room.sealed) {
            RwLockUpgradableReadGuard::upgrade(rooms).entry(number).or_default().sealed = false;
        }
    }

    fn lamps(&self) -> MappedMutexGuard<'_, u32> {
        MutexGuard::map(self.cellar.lock(), |cellar| &mut cellar.lamps)
    }

    pub fn one_more(&self) {
        let mut lamps = self.lamps();
        if *lamps < 7 {
            *lamps += 1;
        }
    }

    pub fn twice_as_many(&self) {
        let lamps = *self.lamps(); //~
        *self.lamps() = lamps * 2; //~
    }
}

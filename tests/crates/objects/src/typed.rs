//! What a type says of the object that a pointer leads to.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

use crate::Party;

/// Nobody changes how many come: these are two objects.
pub fn plan(party: &Party) {
    let guests = *party.guests.lock().unwrap();
    *party.meals.lock().unwrap() = 2 * guests;
}

/// One of them, twice.
pub fn halve(party: &Party) {
    let meals = *party.meals.lock().unwrap(); //~
    *party.meals.lock().unwrap() = meals / 2; //~
}

/// A key and a value with something in each that changes.
pub struct Player {
    id: u64,
    seen: Mutex<u64>,
}

impl PartialEq for Player {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Player {}

impl Hash for Player {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state)
    }
}

pub struct Room {
    open: Mutex<bool>,
}

pub struct Hall {
    places: HashMap<Arc<Player>, Arc<Room>>,
}

impl Hall {
    /// Whether a room is open never changes.
    pub fn mark(&self, player: &Arc<Player>, now: u64) {
        let Some((player, room)) = self.places.get_key_value(player) else { return };
        let open = *room.open.lock().unwrap();
        if open {
            *player.seen.lock().unwrap() = now;
        }
    }

    /// When a player was seen does.
    pub fn forget(&self, player: &Arc<Player>, before: u64) {
        let Some((player, _)) = self.places.get_key_value(player) else { return };
        let old = *player.seen.lock().unwrap() < before; //~
        if old {
            *player.seen.lock().unwrap() = 0; //~
        }
    }
}

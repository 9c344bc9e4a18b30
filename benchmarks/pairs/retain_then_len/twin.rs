//! Removed by the entry that is held.
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use std::collections::BTreeSet;
#[derive(Default)]
pub struct Rooms { members: DashMap<String, BTreeSet<u32>> }
impl Rooms {
    pub fn join(&self, room: &str, who: u32) { self.members.entry(room.to_owned()).or_default().insert(who); }
    pub fn leave(&self, room: &str, who: u32) -> bool {
        let Entry::Occupied(mut entry) = self.members.entry(room.to_owned()) else { return false };
        entry.get_mut().remove(&who);
        let empty = entry.get().is_empty();
        if empty { entry.remove(); }
        empty
    }
    pub fn count(&self, room: &str) -> usize { self.members.get(room).map_or(0, |m| m.len()) }
}


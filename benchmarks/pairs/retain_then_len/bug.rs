//! The room is emptied under one lock, and removed under the next, when somebody may have joined.
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use std::collections::BTreeSet;
#[derive(Default)]
pub struct Rooms { members: DashMap<String, BTreeSet<u32>> }
impl Rooms {
    pub fn join(&self, room: &str, who: u32) { self.members.entry(room.to_owned()).or_default().insert(who); }
    pub fn leave(&self, room: &str, who: u32) -> bool {
        let empty = match self.members.get_mut(room) {
            Some(mut members) => { members.remove(&who); members.is_empty() } //~
            None => return false,
        };
        if empty { self.members.remove(room); } //~
        let _ = |e: Entry<'_, String, u32>| e.key().len();
        empty
    }
    pub fn count(&self, room: &str) -> usize { self.members.get(room).map_or(0, |m| m.len()) }
}


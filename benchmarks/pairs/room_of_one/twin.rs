// As the bug, but the room is looked for again, and made, under the lock.
use std::collections::HashMap;
use std::sync::RwLock;

#[derive(Default)]
pub struct Rooms {
    members: RwLock<HashMap<String, Vec<u64>>>,
}

impl Rooms {
    pub fn join(&self, room: &str, member: u64) {
        self.members.write().unwrap().entry(room.to_owned()).or_insert_with(|| vec![]).push(member);
    }

    pub fn members(&self, room: &str) -> Vec<u64> {
        self.members.read().unwrap().get(room).cloned().unwrap_or_default()
    }
}

// A library. Who finds no room opens one with itself in it; another one has done so by then, and is out.
use std::collections::HashMap;
use std::sync::RwLock;

#[derive(Default)]
pub struct Rooms {
    members: RwLock<HashMap<String, Vec<u64>>>,
}

impl Rooms {
    pub fn join(&self, room: &str, member: u64) {
        if self.members.read().unwrap().contains_key(room) {
            if let Some(members) = self.members.write().unwrap().get_mut(room) {
                members.push(member);
            }
        } else {
            self.members.write().unwrap().insert(room.to_owned(), vec![member]);
        }
    }

    pub fn members(&self, room: &str) -> Vec<u64> {
        self.members.read().unwrap().get(room).cloned().unwrap_or_default()
    }
}

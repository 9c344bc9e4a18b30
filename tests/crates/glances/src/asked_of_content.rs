//! What was seen of an entry is not asked again by who only looks whether the entry is there, be it in a function of its own. And who asks
//! only that, finds that out again.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
struct Group {
    members: Vec<u64>,
}

#[derive(Default)]
pub struct Groups {
    counted: Mutex<HashMap<u64, Group>>,
    found: Mutex<HashMap<u64, Group>>,
}

impl Groups {
    pub fn open(&self, id: u64) {
        self.counted.lock().unwrap().insert(id, Group::default());
        self.found.lock().unwrap().insert(id, Group::default());
    }

    pub fn close(&self, id: u64) {
        self.found.lock().unwrap().remove(&id);
    }

    fn add(&self, id: u64, member: u64) -> Result<usize, String> {
        let mut groups = self.counted.lock().unwrap();
        let group = groups.get_mut(&id).ok_or("there is no such group")?; //~
        group.members.push(member);
        Ok(group.members.len())
    }

    /// Two who join at once both find room.
    pub fn join(&self, id: u64, member: u64) -> Result<usize, String> {
        let full = self.counted.lock().unwrap().get(&id).map(|group| group.members.len() >= 5); //~
        match full {
            None => Err("there is no such group".into()),
            Some(true) => Err("the group is full".into()),
            Some(false) => self.add(id, member),
        }
    }

    fn rename(&self, id: u64, member: u64) -> Result<(), String> {
        let mut groups = self.found.lock().unwrap();
        let group = groups.get_mut(&id).ok_or("there is no such group")?;
        group.members = vec![member];
        Ok(())
    }

    pub fn replace(&self, id: u64, member: u64) -> Result<(), String> {
        if !self.found.lock().unwrap().contains_key(&id) {
            return Err("there is no such group".into());
        }
        self.rename(id, member)
    }
}

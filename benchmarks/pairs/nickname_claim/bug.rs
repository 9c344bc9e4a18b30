// A nickname belongs to whoever takes it first.
use dashmap::DashMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Owner { pub user: u64, pub since: u64 }

#[derive(Clone, Default)]
pub struct Nicknames { taken: Arc<DashMap<String, Owner>> }

impl Nicknames {
    pub fn claim(&self, nick: &str, user: u64, now: u64) -> Result<(), Owner> {
        let nick = nick.trim().to_lowercase();
        if let Some(owner) = self.taken.get(&nick) { //~
            return Err(owner.clone());
        }
        self.taken.insert(nick, Owner { user, since: now }); //~
        Ok(())
    }
    pub fn release(&self, nick: &str, user: u64) { self.taken.remove_if(nick, |_, owner| owner.user == user); }
    pub fn who(&self, nick: &str) -> Option<u64> { self.taken.get(nick).map(|o| o.user) }
}

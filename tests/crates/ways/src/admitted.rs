//! A claim that is handed back as a variant of an enum, with what gives it back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::broadcast;

type Entries = Arc<Mutex<HashMap<String, broadcast::Sender<u32>>>>;

/// Whoever has it is the only one at work under that key.
struct Owner {
    entries: Entries,
    key: Option<String>,
}

impl Owner {
    fn complete(mut self, answer: u32) {
        let sender = self.key.take().and_then(|key| self.entries.lock().unwrap().remove(&key));
        if let Some(sender) = sender {
            let _ = sender.send(answer);
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.entries.lock().unwrap().remove(&key);
        }
    }
}

enum Admission {
    Owner(Owner),
    Waits(broadcast::Receiver<u32>),
}

#[derive(Default)]
pub struct Requests {
    entries: Entries,
}

impl Requests {
    fn admit(&self, key: &str) -> Admission {
        let mut entries = self.entries.lock().unwrap();
        if let Some(sender) = entries.get(key) {
            return Admission::Waits(sender.subscribe());
        }
        entries.insert(key.to_string(), broadcast::channel(1).0);
        Admission::Owner(Owner { entries: self.entries.clone(), key: Some(key.to_string()) })
    }

    pub async fn load(&self, key: String) -> Option<u32> {
        match self.admit(&key) {
            Admission::Owner(owner) => {
                tokio::time::sleep(Duration::from_millis(3)).await;
                owner.complete(7);
                Some(7)
            }
            Admission::Waits(mut answer) => answer.recv().await.ok(),
        }
    }
}

enum Place {
    Free,
    Taken(u32),
}

/// Only what is free is taken, and what was seen of that is old.
#[derive(Default)]
pub struct Seats {
    taken: Mutex<HashMap<u32, u32>>,
}

impl Seats {
    fn place(&self, seat: u32) -> Place {
        match self.taken.lock().unwrap().get(&seat) { //~
            Some(who) => Place::Taken(*who),
            None => Place::Free,
        }
    }

    pub fn take(&self, seat: u32, who: u32) -> Result<(), u32> {
        match self.place(seat) {
            Place::Taken(other) => Err(other),
            Place::Free => {
                self.taken.lock().unwrap().insert(seat, who); //~
                Ok(())
            }
        }
    }
}

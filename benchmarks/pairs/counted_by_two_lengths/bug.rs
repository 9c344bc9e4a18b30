//! How many are removed is the length before less the length after, each under a lock of its own: entries made in between make the difference negative, and the subtraction panics.
use parking_lot::RwLock;
use std::collections::HashMap;
use std::time::{Duration, Instant};

#[derive(Default)]
pub struct Clients {
    seen: RwLock<HashMap<String, Instant>>,
}

impl Clients {
    pub fn request(&self, client: &str) {
        self.seen.write().insert(client.to_string(), Instant::now()); //~
    }
    pub fn clean(&self, age: Duration) -> usize {
        let before = self.seen.read().len(); //~
        self.seen.write().retain(|_, seen| seen.elapsed() < age);
        before - self.seen.read().len() //~
    }
}

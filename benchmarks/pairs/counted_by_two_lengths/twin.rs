//! Both lengths are asked for under the lock that is written under.
use parking_lot::RwLock;
use std::collections::HashMap;
use std::time::{Duration, Instant};

#[derive(Default)]
pub struct Clients {
    seen: RwLock<HashMap<String, Instant>>,
}

impl Clients {
    pub fn request(&self, client: &str) {
        self.seen.write().insert(client.to_string(), Instant::now());
    }
    pub fn clean(&self, age: Duration) -> usize {
        let mut seen = self.seen.write();
        let before = seen.len();
        seen.retain(|_, seen| seen.elapsed() < age);
        before - seen.len()
    }
}

// `&mut self` of a handle that can be cloned has the handle to itself, not what the clones share.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Ballot { counts: Arc<Mutex<BTreeMap<String, u32>>> }

impl Ballot {
    pub fn new() -> Self { Self::default() }
    pub fn cast(&mut self, name: &str) -> u32 {
        let counts = self.counts.lock().unwrap().clone(); //~
        let votes = counts.get(name).copied().unwrap_or(0) + 1;
        self.counts.lock().unwrap().insert(name.to_string(), votes); //~
        votes
    }
    pub fn votes(&self, name: &str) -> u32 { self.counts.lock().unwrap().get(name).copied().unwrap_or(0) }
}

// `&mut self` of a handle that can be cloned has the handle to itself, not what the clones share.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Ballot { counts: Arc<Mutex<BTreeMap<String, u32>>> }

impl Ballot {
    pub fn new() -> Self { Self::default() }
    pub fn cast(&mut self, name: &str) -> u32 {
        let mut counts = self.counts.lock().unwrap();
        let votes = counts.entry(name.to_string()).or_insert(0);
        *votes += 1;
        *votes
    }
    pub fn votes(&self, name: &str) -> u32 { self.counts.lock().unwrap().get(name).copied().unwrap_or(0) }
}

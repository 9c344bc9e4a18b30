//! librefang pull request 4393, repaired: the entry first, then its name; the name is taken out first
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, RwLock};
#[derive(Default)]
pub struct Registry { next: AtomicU64, names: Mutex<HashMap<String, u64>>, agents: RwLock<HashMap<u64, String>> }
impl Registry {
    pub fn register(&self, name: String) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.agents.write().unwrap().insert(id, name.clone());
        self.names.lock().unwrap().insert(name, id);
        id
    }
    pub fn find(&self, name: &str) -> Option<String> {
        let id = *self.names.lock().unwrap().get(name)?;
        Some(self.agents.read().unwrap().get(&id).cloned().unwrap())
    }
}

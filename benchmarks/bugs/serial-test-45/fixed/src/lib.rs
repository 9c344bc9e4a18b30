//! One mutex per name, created when the name is first used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

#[derive(Default)]
pub struct Locks {
    by_name: RwLock<HashMap<String, Arc<Mutex<()>>>>,
}

impl Locks {
    /// The mutex of `name`, a new one when the name is new.
    pub fn of(&self, name: &str) -> Arc<Mutex<()>> {
        let known = self.by_name.read().unwrap().get(name).cloned();
        if let Some(lock) = known {
            return lock;
        }
        self.by_name.write().unwrap().entry(name.to_owned()).or_default().clone()
    }
}

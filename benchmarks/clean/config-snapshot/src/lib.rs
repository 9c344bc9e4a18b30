//! The configuration in force.

use std::sync::{Arc, RwLock};

#[derive(Clone, Default)]
pub struct Config {
    pub name: String,
    pub limit: usize,
}

#[derive(Default)]
pub struct Current {
    config: RwLock<Arc<Config>>,
}

impl Current {
    pub fn get(&self) -> Arc<Config> {
        self.config.read().unwrap().clone()
    }

    pub fn change(&self, edit: impl FnOnce(&mut Config)) {
        let mut current = self.config.write().unwrap();
        let mut config = Config::clone(&current);
        edit(&mut config);
        *current = Arc::new(config);
    }

    pub fn describe(&self) -> String {
        let config = self.get();
        format!("{} ({})", config.name, config.limit)
    }
}

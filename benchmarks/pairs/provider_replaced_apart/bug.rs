//! A named provider is replaced in two sections: removed, then (after an await) the new one is inserted; who asks in between finds none, and
//! falls back to the default one (open-feature 0.3.0, `ProviderRegistry::set_named`).
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

pub struct Registry {
    providers: RwLock<HashMap<String, Arc<String>>>,
}

impl Registry {
    pub fn new() -> Self {
        Registry { providers: RwLock::new(HashMap::from([(String::new(), Arc::new("none".to_string()))])) }
    }

    pub async fn set(&self, name: &str, provider: String) {
        if self.find(name).is_some() {
            self.providers.write().unwrap().remove(name); //~
        }
        tokio::task::yield_now().await;
        self.providers.write().unwrap().insert(name.to_string(), Arc::new(provider)); //~
    }

    fn find(&self, name: &str) -> Option<Arc<String>> {
        self.providers.read().unwrap().get(name).cloned()
    }

    pub fn get(&self, name: &str) -> Arc<String> {
        match self.find(name) {
            Some(provider) => provider,
            None => self.find("").unwrap(),
        }
    }
}

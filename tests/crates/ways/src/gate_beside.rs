//! A lock and what it guards, behind a pointer each, that a struct has together: whoever gives the struct another one of both has them go
//! together still.

use std::sync::{Arc, Mutex, RwLock};

#[derive(Clone)]
pub struct Key {
    text: String,
    old: bool,
}

pub struct Vault {
    name: String,
    key: Arc<RwLock<Key>>,
    gate: Arc<Mutex<()>>,
}

impl Vault {
    pub fn new(key: Key) -> Vault {
        Vault { name: String::new(), key: Arc::new(RwLock::new(key)), gate: Arc::new(Mutex::new(())) }
    }

    pub fn named(&self, name: &str) -> Vault {
        Vault { name: name.to_owned(), key: self.key.clone(), gate: self.gate.clone() }
    }

    pub fn set_key(&mut self, key: Key) {
        self.key = Arc::new(RwLock::new(key));
        self.gate = Arc::new(Mutex::new(()));
    }

    pub fn renew(&self) {
        let _one = self.gate.lock().unwrap();
        let key = self.key.read().unwrap().clone();
        if key.old {
            *self.key.write().unwrap() = Key { text: key.text + &self.name, old: false };
        }
    }
}

pub struct Strongbox(Vault);

impl Strongbox {
    pub fn of(vault: &Vault) -> Strongbox {
        Strongbox(vault.named("strongbox"))
    }

    pub fn open(&self) -> String {
        self.0.renew();
        self.0.key.read().unwrap().text.clone()
    }
}

/// Each copy has a gate of its own to the one key.
pub struct Annex {
    name: String,
    key: Arc<RwLock<Key>>,
    gate: Arc<Mutex<()>>,
}

impl Annex {
    pub fn new(key: Key) -> Annex {
        Annex { name: String::new(), key: Arc::new(RwLock::new(key)), gate: Arc::new(Mutex::new(())) }
    }

    pub fn named(&self, name: &str) -> Annex {
        Annex { name: name.to_owned(), key: self.key.clone(), gate: Arc::new(Mutex::new(())) }
    }

    pub fn renew(&self) {
        let _one = self.gate.lock().unwrap();
        let key = self.key.read().unwrap().clone(); //~
        if key.old {
            *self.key.write().unwrap() = Key { text: key.text + &self.name, old: false }; //~
        }
    }
}

pub struct Chest(Annex);

impl Chest {
    pub fn of(annex: &Annex) -> Chest {
        Chest(annex.named("chest"))
    }

    pub fn open(&self) -> String {
        self.0.renew();
        self.0.key.read().unwrap().text.clone()
    }
}

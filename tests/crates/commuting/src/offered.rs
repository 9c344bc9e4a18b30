//! What is offered to a cell that another one has filled meanwhile, and whose value is gone on with then.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

fn random() -> u64 {
    RandomState::new().hash_one(1)
}

/// Each of two goes on with its own.
#[derive(Default)]
pub struct Own {
    secret: OnceLock<u64>,
    name: OnceLock<Arc<str>>,
}

impl Own {
    pub fn secret(&self) -> u64 {
        if let Some(secret) = self.secret.get() { //~
            return *secret;
        }
        let fresh = random();
        let _ = self.secret.set(fresh); //~
        fresh
    }

    pub fn name(&self) -> Arc<str> {
        match self.name.get() { //~
            Some(name) => name.clone(),
            None => {
                let name: Arc<str> = random().to_string().into();
                self.name.set(name.clone()).ok(); //~
                name
            }
        }
    }
}

/// Asked whether it was kept, looked at again, the same whoever makes it, or given back whatever there was.
#[derive(Default)]
pub struct Kept {
    asked: OnceLock<Arc<str>>,
    begun: OnceLock<Instant>,
    seen: OnceLock<u64>,
    length: OnceLock<usize>,
    first: OnceLock<Arc<str>>,
    text: String,
}

impl Kept {
    pub fn asked(&self) -> Arc<str> {
        if let Some(name) = self.asked.get() {
            return name.clone();
        }
        let own: Arc<str> = random().to_string().into();
        match self.asked.set(own.clone()) {
            Ok(()) => own,
            Err(_) => self.asked.get().cloned().unwrap_or(own),
        }
    }

    pub fn begun(&self) -> Instant {
        if let Some(begun) = self.begun.get() {
            return *begun;
        }
        let now = Instant::now();
        if self.begun.set(now).is_err() {
            return *self.begun.get().unwrap();
        }
        now
    }

    pub fn seen(&self) -> u64 {
        if let Some(seen) = self.seen.get() {
            return *seen;
        }
        let _ = self.seen.set(random());
        *self.seen.get().unwrap()
    }

    pub fn length(&self) -> usize {
        if let Some(length) = self.length.get() {
            return *length;
        }
        let own = self.text.len();
        let _ = self.length.set(own);
        own
    }

    pub fn enter(&self, name: Arc<str>) -> Arc<str> {
        if self.first.get().is_none() {
            let _ = self.first.set(name.clone());
        }
        name
    }

    pub fn first(&self) -> Option<Arc<str>> {
        self.first.get().cloned()
    }
}

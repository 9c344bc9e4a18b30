//! A cell that is filled only once is filled for good: what is done only where it was found filled is not done before.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

/// Nothing is sent before the address is known, and the address is known for good.
#[derive(Default)]
pub struct Announcer {
    address: OnceLock<u64>,
    sent: Mutex<HashMap<u64, Vec<u64>>>,
}

impl Announcer {
    pub fn start(&self, address: u64) -> usize {
        let _ = self.address.set(address);
        self.sent.lock().unwrap().values().map(|sent| sent.len()).sum()
    }

    pub fn send(&self) -> Result<(), String> {
        let address = self.address.get().copied().ok_or_else(|| "not started".to_string())?;
        self.sent.lock().unwrap().entry(7).or_default().push(address);
        Ok(())
    }
}

/// What is sent before has no address.
#[derive(Default)]
pub struct Caller {
    address: OnceLock<u64>,
    sent: Mutex<HashMap<u64, Vec<u64>>>,
}

impl Caller {
    pub fn start(&self, address: u64) -> usize {
        let _ = self.address.set(address); //~
        self.sent.lock().unwrap().values().map(|sent| sent.len()).sum() //~
    }

    pub fn send(&self) {
        let address = self.address.get().copied().unwrap_or(0); //~
        self.sent.lock().unwrap().entry(7).or_default().push(address); //~
    }
}

/// The address is forgotten again.
#[derive(Default)]
pub struct Messenger {
    address: Mutex<Option<u64>>,
    sent: Mutex<HashMap<u64, Vec<u64>>>,
}

impl Messenger {
    pub fn start(&self, address: u64) -> usize {
        *self.address.lock().unwrap() = Some(address);
        self.sent.lock().unwrap().values().map(|sent| sent.len()).sum()
    }

    pub fn stop(&self) -> usize {
        *self.address.lock().unwrap() = None; //~
        self.sent.lock().unwrap().values().map(|sent| sent.len()).sum() //~
    }

    pub fn send(&self) -> Result<(), String> {
        let address = self.address.lock().unwrap().ok_or_else(|| "not started".to_string())?; //~
        self.sent.lock().unwrap().entry(7).or_default().push(address); //~
        Ok(())
    }
}

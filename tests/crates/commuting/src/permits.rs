//! A place is claimed under one guard, and whoever has claimed it gives it back: through a value that has the key, and is dropped.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

/// One permit for each address.
#[derive(Default)]
pub struct Dialer {
    calling: Mutex<HashSet<u64>>,
}

struct Calling<'d> {
    address: u64,
    dialer: &'d Dialer,
}

impl Drop for Calling<'_> {
    fn drop(&mut self) {
        self.dialer.calling.lock().unwrap().remove(&self.address);
    }
}

impl Dialer {
    fn claim(&self, address: u64) -> Option<Calling<'_>> {
        let mut calling = self.calling.lock().unwrap();
        if calling.contains(&address) {
            return None;
        }
        calling.insert(address);
        Some(Calling { address, dialer: self })
    }

    pub fn call(&self, address: u64) -> bool {
        let Some(_calling) = self.claim(address) else { return false };
        println!("calling {address}");
        true
    }
}

/// It is looked for under one guard, and claimed under another one.
#[derive(Default)]
pub struct Operator {
    calling: Mutex<HashSet<u64>>,
}

struct Connecting<'d> {
    address: u64,
    operator: &'d Operator,
}

impl Drop for Connecting<'_> {
    fn drop(&mut self) {
        self.operator.calling.lock().unwrap().remove(&self.address);
    }
}

impl Operator {
    fn claim(&self, address: u64) -> Option<Connecting<'_>> {
        if self.calling.lock().unwrap().contains(&address) { //~
            return None;
        }
        self.calling.lock().unwrap().insert(address); //~
        Some(Connecting { address, operator: self })
    }

    pub fn call(&self, address: u64) -> bool {
        let Some(_connecting) = self.claim(address) else { return false };
        println!("calling {address}");
        true
    }
}

/// A permit is for another key than the one that was claimed: it takes out what another one has put in.
#[derive(Default)]
pub struct Usher {
    seated: Mutex<HashSet<u64>>,
}

struct Seat<'u> {
    number: u64,
    usher: &'u Usher,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.usher.seated.lock().unwrap().remove(&self.number); //~
    }
}

impl Usher {
    pub fn seat(&self, number: u64) -> bool {
        let seated = {
            let mut seated = self.seated.lock().unwrap();
            if seated.contains(&number) { //~
                return false;
            }
            seated.insert(number);
            Seat { number: number + 1, usher: self }
        };
        println!("seated at {}", seated.number);
        true
    }
}

/// The key goes into a pair on the way to the thread that gives it back.
#[derive(Clone, Default)]
pub struct Names {
    taken: Arc<Mutex<HashMap<String, u32>>>,
}

impl Names {
    pub fn hold(&self, name: &str, by: u32) -> Result<(), String> {
        let mut taken = self.taken.lock().unwrap();
        if taken.contains_key(name) {
            return Err("taken".to_string());
        }
        taken.insert(name.to_string(), by);
        let (names, key) = (self.taken.clone(), name.to_string());
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(1));
            names.lock().unwrap().remove(&key);
        });
        Ok(())
    }
}

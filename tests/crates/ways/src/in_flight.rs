//! What is done in the critical section in which a key is claimed, or given back, is done under the claim.

use std::collections::HashMap;
use std::sync::Mutex;

fn resolved(name: &str) -> u64 {
    std::thread::yield_now();
    name.len() as u64
}

#[derive(Default)]
struct Asked {
    known: HashMap<String, u64>,
    waiting: HashMap<String, u64>,
}

#[derive(Default)]
pub struct Resolver {
    asked: Mutex<Asked>,
}

impl Resolver {
    pub fn refresh(&self, name: &str) {
        {
            let mut asked = self.asked.lock().unwrap();
            if asked.waiting.contains_key(name) {
                return;
            }
            asked.waiting.insert(name.to_string(), 1);
        }
        let address = resolved(name);
        let mut asked = self.asked.lock().unwrap();
        asked.known.insert(name.to_string(), address);
        asked.waiting.remove(name);
    }
}

/// It is given back before what was found is entered.
#[derive(Default)]
pub struct Finder {
    known: Mutex<HashMap<String, u64>>,
    waiting: Mutex<HashMap<String, u64>>,
}

impl Finder {
    pub fn refresh(&self, name: &str) -> u64 {
        if let Some(address) = self.known.lock().unwrap().get(name) { //~
            return *address;
        }
        {
            let mut waiting = self.waiting.lock().unwrap();
            if waiting.contains_key(name) {
                return 0;
            }
            waiting.insert(name.to_string(), 1);
        }
        let address = resolved(name);
        self.waiting.lock().unwrap().remove(name);
        self.known.lock().unwrap().insert(name.to_string(), address); //~
        address
    }
}

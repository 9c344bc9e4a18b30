//! The counter is taken out of the map while somebody who got it before still adds to it: that is lost.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
#[derive(Default, Clone)]
pub struct Metrics { counters: Arc<Mutex<HashMap<&'static str, Arc<Mutex<u64>>>>> }
impl Metrics {
    pub fn add(&self, name: &'static str, by: u64) {
        let counter = self.counters.lock().unwrap().entry(name).or_default().clone(); //~
        *counter.lock().unwrap() += by; //~
    }
    pub fn take(&self, name: &'static str) -> u64 {
        let Some(counter) = self.counters.lock().unwrap().remove(name) else { return 0 }; //~
        let total = *counter.lock().unwrap(); //~
        total
    }
}

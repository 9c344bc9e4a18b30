// Alarms by time: the earliest one is looked at, then taken out for good; two that look see the same.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

pub type Alarm = Box<dyn FnOnce() + Send>;

#[derive(Clone, Default)]
pub struct Alarms { by_time: Arc<Mutex<BTreeMap<u64, Alarm>>> }

impl Alarms {
    pub fn set(&self, at: u64, alarm: impl FnOnce() + Send + 'static) { self.by_time.lock().unwrap().insert(at, Box::new(alarm)); }
    pub fn cancel(&self, at: u64) -> bool { self.by_time.lock().unwrap().remove(&at).is_some() }
    pub fn ring(&self, now: u64) -> bool {
        let due = {
            let mut by_time = self.by_time.lock().unwrap();
            match by_time.first_entry() {
                Some(first) if *first.key() <= now => Some(first.remove()),
                _ => None,
            }
        };
        match due { Some(alarm) => { alarm(); true } None => false }
    }
}

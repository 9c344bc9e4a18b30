//! What an event has filled itself it unwraps, under another guard; or under the same one.

use std::sync::RwLock;

#[derive(Default)]
pub struct Slot {
    value: RwLock<Option<u32>>,
}

impl Slot {
    pub fn get(&self, value: u32) -> u32 {
        *self.value.write().unwrap() = Some(value); //~
        self.value.read().unwrap().unwrap() //~
    }

    pub fn get_at_once(&self, value: u32) -> u32 {
        let mut kept = self.value.write().unwrap();
        *kept = Some(value);
        kept.unwrap()
    }

    pub fn reset(&self) {
        *self.value.write().unwrap() = None; //~
    }
}

// A value is given to a function of the caller between two sections; what it answers overwrites what came meanwhile.
use std::sync::Mutex;

pub struct Lamp { pub level: u32, pub revision: u64 }

pub struct Dimmer<F> { lamp: Mutex<Lamp>, curve: F }

impl<F: Fn(u32) -> u32> Dimmer<F> {
    pub fn new(curve: F) -> Self { Dimmer { lamp: Mutex::new(Lamp { level: 0, revision: 0 }), curve } }
    pub fn set(&self, level: u32) {
        let mut lamp = self.lamp.lock().unwrap();
        lamp.level = level;
        lamp.revision += 1;
    }
    pub fn level(&self) -> u32 { self.lamp.lock().unwrap().level }
    pub fn step(&self) {
        let now = self.lamp.lock().unwrap().level; //~
        let next = (self.curve)(now);
        let mut lamp = self.lamp.lock().unwrap();
        lamp.level = next; //~
        lamp.revision += 1;
    }
}

// As the bug, but looked at and counted up under one guard.
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct Invoices {
    last: Mutex<u32>,
    open: Mutex<BTreeMap<u32, String>>,
}

impl Invoices {
    pub fn draw(&self) -> u32 {
        let mut last = self.last.lock().unwrap();
        let number = *last;
        *last += 1;
        number
    }

    pub fn note(&self, number: u32, text: String) {
        self.open.lock().unwrap().insert(number, text);
    }
}

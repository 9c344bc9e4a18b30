// A library. The number is looked at under one guard, and counted up under the next: two callers get one number.
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct Invoices {
    last: Mutex<u32>,
    open: Mutex<BTreeMap<u32, String>>,
}

impl Invoices {
    pub fn draw(&self) -> u32 {
        let number = *self.last.lock().unwrap();
        *self.last.lock().unwrap() += 1;
        number
    }

    pub fn note(&self, number: u32, text: String) {
        self.open.lock().unwrap().insert(number, text);
    }
}

//! A module that has the name of a standard crate.

use std::sync::Mutex;

#[derive(Default)]
pub struct Shelf {
    stock: Mutex<u32>,
}

impl Shelf {
    pub fn take(&self) -> bool {
        if *self.stock.lock().unwrap() == 0 { //~
            return false;
        }
        *self.stock.lock().unwrap() -= 1; //~
        true
    }
}

#[derive(Default)]
pub struct ShelfAtOnce {
    stock: Mutex<u32>,
}

impl ShelfAtOnce {
    pub fn take(&self) -> bool {
        let mut stock = self.stock.lock().unwrap();
        if *stock == 0 {
            return false;
        }
        *stock -= 1;
        true
    }
}

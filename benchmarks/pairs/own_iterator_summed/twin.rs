//! The iterator looks and changes under one lock.
use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct Shop {
    stock: Mutex<HashMap<u32, u32>>,
}

struct Sales<'a> {
    shop: &'a Shop,
    item: u32,
}

impl Iterator for Sales<'_> {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        if self.item > 5 {
            return None;
        }
        self.item += 1;
        let mut stock = self.shop.stock.lock().unwrap();
        let left = stock.get(&self.item).copied().unwrap_or(0);
        stock.insert(self.item, left.saturating_sub(1));
        Some(left)
    }
}

impl Shop {
    pub fn sell_all(&self) -> u32 {
        Sales { shop: self, item: 0 }.sum()
    }
}

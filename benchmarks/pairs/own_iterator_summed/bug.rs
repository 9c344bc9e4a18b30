//! An iterator of one's own is given to `sum` (as to `count`, `for_each`, `collect`): its `next`, which looks and changes under two lock sections, is run by std.
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
        let left = self.shop.stock.lock().unwrap().get(&self.item).copied().unwrap_or(0); //~
        self.shop.stock.lock().unwrap().insert(self.item, left.saturating_sub(1)); //~
        Some(left)
    }
}

impl Shop {
    pub fn sell_all(&self) -> u32 {
        Sales { shop: self, item: 0 }.sum()
    }
}

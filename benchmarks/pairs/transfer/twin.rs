//! Both locks are held in a fixed order.
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
#[derive(Default)]
pub struct Purse { coins: u32 }
pub struct Bank { purses: HashMap<String, Arc<Mutex<Purse>>> }
impl Bank {
    pub fn of(names: &[&str]) -> Bank {
        Bank { purses: names.iter().map(|n| (n.to_string(), Arc::new(Mutex::new(Purse { coins: 100 })))).collect() }
    }
    pub fn pay(&self, from: &str, to: &str, coins: u32) -> Option<u32> {
        let (giver, taker) = (self.purses.get(from)?, self.purses.get(to)?);
        if from == to { return None; }
        let (mut giver, mut taker) = if from < to {
            let first = giver.lock();
            (first, taker.lock())
        } else {
            let first = taker.lock();
            (giver.lock(), first)
        };
        let left = giver.coins.checked_sub(coins)?;
        giver.coins = left;
        taker.coins += coins;
        Some(left)
    }
}

//! Two accounts are read under their locks, and written later.
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
        let left = giver.lock().coins.checked_sub(coins)?; //~
        giver.lock().coins = left; //~
        taker.lock().coins += coins;
        Some(left)
    }
}

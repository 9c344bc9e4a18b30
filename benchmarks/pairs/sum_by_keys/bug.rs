//! The keys are copied, and indexed later, when they may be gone.
use std::collections::HashMap;
use std::sync::RwLock;
type Rows = HashMap<u64, f64>;
#[derive(Default)]
pub struct Ledger { rows: RwLock<Rows> }
impl Ledger {
    pub fn book(&self, id: u64, amount: f64) { self.rows.write().unwrap().insert(id, amount); }
    pub fn cancel(&self, id: u64) -> Option<f64> { self.rows.write().unwrap().remove(&id) }
    pub fn print(&self) {
        let mut ids: Vec<u64> = self.rows.read().unwrap().keys().copied().collect(); //~
        ids.sort_unstable();
        for id in ids {
            let amount = self.rows.read().unwrap()[&id]; //~
            println!("{id}: {amount:.2}");
        }
    }
}


//! The blocks and transactions a test node keeps.

use std::collections::HashMap;
use std::sync::RwLock;

#[derive(Default)]
struct Storage {
    blocks: HashMap<u64, Vec<u64>>,
    transactions: HashMap<u64, String>,
}

#[derive(Default)]
pub struct Node {
    storage: RwLock<Storage>,
}

impl Node {
    /// Takes in the blocks and transactions of a saved state.
    pub fn load_state(&self, blocks: Vec<(u64, Vec<u64>)>, transactions: Vec<(u64, String)>) {
        self.storage.write().unwrap().blocks.extend(blocks); //~ RACE
        self.storage.write().unwrap().transactions.extend(transactions); //~ RACE
    }

    /// A block with its transactions, if all of them are known.
    pub fn full_block(&self, number: u64) -> Option<Vec<String>> {
        let storage = self.storage.read().unwrap();
        let ids = storage.blocks.get(&number)?;
        ids.iter().map(|id| storage.transactions.get(id).cloned()).collect()
    }
}

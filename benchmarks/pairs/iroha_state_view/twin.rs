// Source: hyperledger-iroha/iroha pull request #4867 (use rw lock to prevent inconsistent state view)
use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard, RwLock};

pub type BlockHash = u64;
pub type TransactionHash = u64;

/// Multi-version cell: readers see the last committed value, there is one writer at a time.
#[derive(Default)]
pub struct Cell<V> {
    value: ArcSwap<V>,
    writer: Mutex<()>,
}

/// Aggregated changes of one cell.
pub struct CellBlock<'cell, V> {
    new: V,
    value: &'cell ArcSwap<V>,
    _writer: MutexGuard<'cell, ()>,
}

impl<V: Clone> Cell<V> {
    /// Point in time view of the cell.
    pub fn view(&self) -> Arc<V> {
        self.value.load_full()
    }

    pub fn block(&self) -> CellBlock<'_, V> {
        let _writer = self.writer.lock();
        CellBlock {
            new: V::clone(&self.value.load()),
            value: &self.value,
            _writer,
        }
    }
}

impl<V> CellBlock<'_, V> {
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.new
    }

    /// Apply the changes.
    pub fn commit(self) {
        self.value.store(Arc::new(self.new));
    }
}

/// Current state of the blockchain
#[derive(Default)]
pub struct State {
    /// The balances of the accounts.
    pub world: Cell<BTreeMap<String, u64>>,
    /// Blockchain.
    pub block_hashes: Cell<Vec<BlockHash>>,
    /// Hashes of transactions mapped onto block height where they stored
    pub transactions: Cell<BTreeMap<TransactionHash, usize>>,
    /// Lock to prevent getting inconsistent view of the state
    view_lock: RwLock<()>,
}

/// Struct for block's aggregated changes
pub struct StateBlock<'state> {
    pub world: CellBlock<'state, BTreeMap<String, u64>>,
    pub block_hashes: CellBlock<'state, Vec<BlockHash>>,
    pub transactions: CellBlock<'state, BTreeMap<TransactionHash, usize>>,
    /// Lock to prevent getting inconsistent view of the state
    view_lock: &'state RwLock<()>,
}

/// Consistent point in time view of the [`State`]
pub struct StateView {
    pub world: Arc<BTreeMap<String, u64>>,
    pub block_hashes: Arc<Vec<BlockHash>>,
    pub transactions: Arc<BTreeMap<TransactionHash, usize>>,
}

impl State {
    pub fn new() -> Self {
        Self::default()
    }

    /// Create structure to execute a block
    pub fn block(&self) -> StateBlock<'_> {
        StateBlock {
            world: self.world.block(),
            block_hashes: self.block_hashes.block(),
            transactions: self.transactions.block(),
            view_lock: &self.view_lock,
        }
    }

    /// Create point in time view of the state
    pub fn view(&self) -> StateView {
        let _view_lock = self.view_lock.read();
        StateView {
            world: self.world.view(),
            block_hashes: self.block_hashes.view(),
            transactions: self.transactions.view(),
        }
    }
}

impl StateBlock<'_> {
    /// Put a transaction into the block that is being executed.
    pub fn apply(&mut self, transaction: TransactionHash, account: &str, amount: u64) {
        let height = self.block_hashes.get_mut().len() + 1;
        *self.world.get_mut().entry(account.to_owned()).or_default() += amount;
        self.transactions.get_mut().insert(transaction, height);
    }

    /// Commit changes aggregated during application of block
    pub fn commit(mut self, hash: BlockHash) {
        self.block_hashes.get_mut().push(hash);
        let _view_lock = self.view_lock.write();
        self.transactions.commit();
        self.block_hashes.commit();
        self.world.commit();
    }
}

impl StateView {
    pub fn height(&self) -> usize {
        self.block_hashes.len()
    }

    /// The hash of the block in which a transaction is.
    pub fn block_of(&self, transaction: &TransactionHash) -> Option<BlockHash> {
        let height = *self.transactions.get(transaction)?;
        Some(self.block_hashes[height - 1])
    }
}

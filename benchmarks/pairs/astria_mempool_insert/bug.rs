// astria, issue #2131: CheckTx reads nonce and balance from a state snapshot and then inserts with them; if run_maintenance of the next block gets the mempool's lock in between, the insert judges the tx by the outdated state (a tx already executed becomes pending again, one that is due is parked).
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::sync::{watch, RwLock};
use tracing::{debug, info};

pub type Address = [u8; 20];

#[derive(Default, Debug)]
pub struct State { pub height: u64, pub nonces: HashMap<Address, u32>, pub balances: HashMap<Address, u128> }

/// A view of the state at one height, which never changes.
#[derive(Clone, Default, Debug)]
pub struct Snapshot(pub Arc<State>);

impl Snapshot {
    pub fn get_account_nonce(&self, address: &Address) -> u32 {
        self.0.nonces.get(address).copied().unwrap_or(0)
    }

    pub fn get_account_balance(&self, address: &Address) -> u128 {
        self.0.balances.get(address).copied().unwrap_or(0)
    }
}

/// The committed state.
pub struct Storage { latest: watch::Sender<Snapshot> }

impl Storage {
    pub fn new(genesis: Snapshot) -> Self {
        Self { latest: watch::channel(genesis).0 }
    }

    pub fn latest_snapshot(&self) -> Snapshot {
        self.latest.borrow().clone()
    }

    pub fn commit(&self, state: State) -> Snapshot {
        let snapshot = Snapshot(Arc::new(state));
        self.latest.send_replace(snapshot.clone());
        snapshot
    }
}

#[derive(Clone, Debug)]
pub struct CheckedTransaction { pub id: u64, pub signer: Address, pub nonce: u32, pub cost: u128 }

#[derive(Debug, PartialEq)]
pub enum InsertionError { NonceTooLow, NonceTaken, AccountBalanceTooLow }

#[derive(Debug, PartialEq)]
pub enum InsertionStatus { AddedToPending, AddedToParked }

#[derive(Default)]
struct MempoolInner {
    pending: BTreeMap<(Address, u32), CheckedTransaction>,
    parked: BTreeMap<(Address, u32), CheckedTransaction>,
}

#[derive(Clone, Default)]
pub struct Mempool { inner: Arc<RwLock<MempoolInner>> }

impl Mempool {
    pub async fn insert(&self, tx: CheckedTransaction, current_nonce: u32, current_balance: u128) -> Result<InsertionStatus, InsertionError> {
        let mut inner = self.inner.write().await;
        if tx.nonce < current_nonce {
            return Err(InsertionError::NonceTooLow);
        }
        if tx.cost > current_balance {
            return Err(InsertionError::AccountBalanceTooLow);
        }
        let key = (tx.signer, tx.nonce);
        if inner.pending.contains_key(&key) || inner.parked.contains_key(&key) {
            return Err(InsertionError::NonceTaken);
        }
        let ready = tx.nonce == current_nonce || inner.pending.contains_key(&(tx.signer, tx.nonce.wrapping_sub(1)));
        let (queue, status) = match ready {
            true => (&mut inner.pending, InsertionStatus::AddedToPending),
            false => (&mut inner.parked, InsertionStatus::AddedToParked),
        };
        queue.insert(key, tx); //~
        Ok(status)
    }

    /// After a block: drops what was executed and promotes what has become due.
    pub async fn run_maintenance(&self, snapshot: &Snapshot) {
        let mut inner = self.inner.write().await;
        let MempoolInner { pending, parked } = &mut *inner;
        pending.retain(|(address, nonce), _| *nonce >= snapshot.get_account_nonce(address)); //~
        parked.retain(|(address, nonce), _| *nonce >= snapshot.get_account_nonce(address));
        for (key, tx) in std::mem::take(parked) {
            let due = key.1 == snapshot.get_account_nonce(&key.0) || pending.contains_key(&(key.0, key.1.wrapping_sub(1)));
            if due && tx.cost <= snapshot.get_account_balance(&key.0) { pending.insert(key, tx); } else { parked.insert(key, tx); }
        }
        info!(height = snapshot.0.height, pending = pending.len(), parked = parked.len(), "maintained mempool");
    }

    pub async fn builder_queue(&self) -> Vec<CheckedTransaction> {
        self.inner.read().await.pending.values().cloned().collect()
    }
}

/// The CheckTx request of the mempool service.
pub async fn handle_check_tx(tx: CheckedTransaction, storage: &Storage, mempool: &Mempool) -> Result<InsertionStatus, InsertionError> {
    let snapshot = storage.latest_snapshot(); //~
    let current_nonce = snapshot.get_account_nonce(&tx.signer);
    let current_balance = snapshot.get_account_balance(&tx.signer);
    debug!(id = tx.id, current_nonce, "inserting tx");
    mempool.insert(tx, current_nonce, current_balance).await
}

/// Executes blocks one after the other.
pub struct Consensus { pub storage: Arc<Storage>, pub mempool: Mempool }

impl Consensus {
    pub async fn finalize_block(&mut self, executed: State) {
        let snapshot = self.storage.commit(executed);
        self.mempool.run_maintenance(&snapshot).await;
    }
}

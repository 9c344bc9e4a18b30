// Repaired as in aptos-labs/aptos-core PR #16317: the root stays locked while the ordered store is pruned, and readers lock in the same order.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::mpsc;

pub type Round = u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockInfo {
    pub epoch: u64,
    pub round: Round,
    pub id: u64,
}

#[derive(Debug, Clone)]
pub struct LedgerInfo {
    pub commit: BlockInfo,
    pub signatures: Vec<(usize, [u8; 32])>,
}

#[derive(Debug, Clone)]
pub struct OrderedBlock {
    pub info: BlockInfo,
    pub parent: u64,
    pub payload: Arc<[u8]>,
}

#[derive(Debug, Error)]
pub enum ObserverError {
    #[error("block {block} does not extend {expected}")]
    DoesNotExtend { block: u64, expected: u64 },
    #[error("the execution pipeline is closed")]
    PipelineClosed,
}

#[derive(Default)]
pub struct OrderedBlockStore {
    blocks: BTreeMap<(u64, Round), OrderedBlock>,
}

impl OrderedBlockStore {
    pub fn last(&self) -> Option<BlockInfo> {
        self.blocks.values().next_back().map(|b| b.info)
    }

    pub fn insert(&mut self, block: OrderedBlock) {
        self.blocks.insert((block.info.epoch, block.info.round), block);
    }

    pub fn remove_committed(&mut self, commit: &BlockInfo) -> usize {
        let before = self.blocks.len();
        self.blocks = self.blocks.split_off(&(commit.epoch, commit.round + 1));
        before - self.blocks.len()
    }
}

#[derive(Clone)]
pub struct ActiveObserverState {
    root: Arc<Mutex<LedgerInfo>>,
    ordered: Arc<Mutex<OrderedBlockStore>>,
    pipeline: mpsc::UnboundedSender<OrderedBlock>,
}

impl ActiveObserverState {
    pub fn new(root: LedgerInfo, pipeline: mpsc::UnboundedSender<OrderedBlock>) -> Self {
        Self { root: Arc::new(Mutex::new(root)), ordered: Arc::default(), pipeline }
    }

    pub fn last_ordered_block(&self) -> BlockInfo {
        let root = self.root.lock();
        let last = self.ordered.lock().last();
        last.unwrap_or(root.commit)
    }

    pub fn process_ordered_block(&self, block: OrderedBlock) -> Result<(), ObserverError> {
        let root = self.root.lock();
        let mut ordered = self.ordered.lock();
        let last = ordered.last().unwrap_or(root.commit);
        if block.parent != last.id {
            return Err(ObserverError::DoesNotExtend { block: block.info.id, expected: last.id });
        }
        ordered.insert(block.clone());
        self.pipeline.send(block).map_err(|_| ObserverError::PipelineClosed)
    }

    /// Given to the pipeline; called on its thread for every commit.
    pub fn commit_callback(&self) -> Box<dyn Fn(LedgerInfo) + Send + Sync> {
        let root = self.root.clone();
        let ordered = self.ordered.clone();
        Box::new(move |ledger_info| handle_committed_blocks(&root, &ordered, ledger_info))
    }
}

fn handle_committed_blocks(
    root: &Mutex<LedgerInfo>,
    ordered: &Mutex<OrderedBlockStore>,
    ledger_info: LedgerInfo,
) {
    // The lock of the root is held for the whole section: no reader sees a view in between.
    let mut root = root.lock();
    let removed = ordered.lock().remove_committed(&ledger_info.commit);
    tracing::debug!(removed, round = ledger_info.commit.round, "committed");

    if ledger_info.commit > root.commit {
        *root = ledger_info;
    }
}

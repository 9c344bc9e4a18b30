// Modelled on aptos-labs/aptos-core PR #16317 ("[CO] fix a race of inconsistent data view").
// A commit first removes blocks from the ordered store and only later, in another critical section, moves the
// root: a reader between the two finds no ordered block and the old root, and forwards a block twice.

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
        if let Some(last) = self.ordered.lock().last() { //~
            return last;
        }
        self.root.lock().commit //~
    }

    pub fn process_ordered_block(&self, block: OrderedBlock) -> Result<(), ObserverError> {
        let last = self.last_ordered_block(); //~
        if block.parent != last.id {
            return Err(ObserverError::DoesNotExtend { block: block.info.id, expected: last.id });
        }
        self.ordered.lock().insert(block.clone()); //~
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
    let removed = ordered.lock().remove_committed(&ledger_info.commit); //~
    tracing::debug!(removed, round = ledger_info.commit.round, "committed");
    let mut root = root.lock(); //~
    if ledger_info.commit > root.commit {
        *root = ledger_info;
    }
}

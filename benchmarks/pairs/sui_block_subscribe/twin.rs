// Repaired as in MystenLabs/sui PR #27057: the live broadcast is subscribed before the cached blocks are copied.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt};
use parking_lot::RwLock;
use thiserror::Error;
use tokio::sync::broadcast;

pub type Round = u32;
pub type BlockStream = Pin<Box<dyn Stream<Item = ExtendedBlock> + Send>>;

#[derive(Debug, Error)]
pub enum ConsensusError {
    #[error("block of round {0} is too old")]
    TooOld(Round),
    #[error("authority {0} is not in the committee")]
    InvalidAuthority(usize),
}

#[derive(Debug, Clone)]
pub struct ExtendedBlock {
    pub round: Round,
    pub serialized: Bytes,
}

#[derive(Default)]
pub struct DagState {
    own_blocks: BTreeMap<Round, ExtendedBlock>,
    gc_round: Round,
}

impl DagState {
    pub fn accept_own(&mut self, block: ExtendedBlock) -> Result<(), ConsensusError> {
        if block.round <= self.gc_round {
            return Err(ConsensusError::TooOld(block.round));
        }
        self.own_blocks.insert(block.round, block);
        Ok(())
    }

    pub fn cached_after(&self, round: Round) -> Vec<ExtendedBlock> {
        self.own_blocks.range(round.saturating_add(1)..).map(|(_, b)| b.clone()).collect()
    }

    pub fn gc(&mut self, round: Round) {
        self.gc_round = self.gc_round.max(round);
        self.own_blocks = self.own_blocks.split_off(&(self.gc_round + 1));
    }
}

pub struct AuthorityService {
    committee_size: usize,
    dag_state: Arc<RwLock<DagState>>,
    tx_block: broadcast::Sender<ExtendedBlock>,
}

impl AuthorityService {
    pub fn new(committee_size: usize, dag_state: Arc<RwLock<DagState>>) -> Self {
        let (tx_block, _) = broadcast::channel(2000);
        Self { committee_size, dag_state, tx_block }
    }

    pub fn publish(&self, block: ExtendedBlock) -> Result<(), ConsensusError> {
        self.dag_state.write().accept_own(block.clone())?;
        let _ = self.tx_block.send(block);
        Ok(())
    }

    pub fn subscribe(&self, peer: usize, last_received: Round) -> Result<BlockStream, ConsensusError> {
        if peer >= self.committee_size {
            return Err(ConsensusError::InvalidAuthority(peer));
        }
        // Subscribed before the copy is made: a block of the gap comes twice, and the receiver drops it.
        let receiver = self.tx_block.subscribe();
        let missed = self.dag_state.read().cached_after(last_received);
        let live = live_blocks(receiver, peer);
        Ok(stream::iter(missed).chain(live).boxed())
    }
}

fn live_blocks(
    receiver: broadcast::Receiver<ExtendedBlock>,
    peer: usize,
) -> impl Stream<Item = ExtendedBlock> + Send {
    stream::unfold(receiver, move |mut receiver| async move {
        match receiver.recv().await {
            Ok(block) => Some((block, receiver)),
            Err(broadcast::error::RecvError::Lagged(n)) => {
                tracing::warn!(peer, n, "subscriber lagged, closing the stream");
                None
            }
            Err(broadcast::error::RecvError::Closed) => None,
        }
    })
}

// ZcashFoundation/zebra commit 9e93e999f (PR #11248): repaired as there.
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

const RESPONSE_BUFFER_SIZE: usize = 128;

pub type Hash = [u8; 32];
pub type RawTransaction = Vec<u8>;

pub struct Status(pub String);
pub struct VerifiedUnminedTx {
    pub id: Hash,
    pub data: Vec<u8>,
}

#[derive(Clone, Debug)]
pub enum MempoolChange {
    Added(HashSet<Hash>),
    Mined(HashSet<Hash>),
}

#[async_trait]
pub trait MempoolService: Send + Sync {
    async fn full_transactions(&self) -> Result<Vec<VerifiedUnminedTx>, Status>;
    async fn transactions_by_id(&self, ids: HashSet<Hash>) -> Result<Vec<VerifiedUnminedTx>, Status>;
}

#[derive(Clone)]
struct LatestChainTip(watch::Receiver<Option<Hash>>);

impl LatestChainTip {
    fn mark_best_tip_seen(&mut self) {
        self.0.mark_unchanged();
    }

    async fn best_tip_changed(&mut self) {
        let _ = self.0.changed().await;
    }
}

pub struct LightwalletdService {
    mempool: Arc<dyn MempoolService>,
    mempool_change: broadcast::Sender<MempoolChange>,
    latest_chain_tip: LatestChainTip,
}

impl LightwalletdService {
    pub fn new(
        mempool: Arc<dyn MempoolService>,
        mempool_change: broadcast::Sender<MempoolChange>,
        chain_tip_receiver: watch::Receiver<Option<Hash>>,
    ) -> Self {
        let latest_chain_tip = LatestChainTip(chain_tip_receiver);
        LightwalletdService { mempool, mempool_change, latest_chain_tip }
    }

    pub fn get_mempool_stream(&self) -> ReceiverStream<RawTransaction> {
        let (response_sender, response_receiver) = mpsc::channel(RESPONSE_BUFFER_SIZE);
        let mut mempool_change = self.mempool_change.subscribe();
        let mempool = self.mempool.clone();
        let mut latest_chain_tip = self.latest_chain_tip.clone();
        latest_chain_tip.mark_best_tip_seen();

        tokio::spawn(async move {
            let mut sent_txids = HashSet::new();
            let snapshot = mempool.full_transactions().await;
            if !send_unseen_txs(snapshot, &response_sender, &mut sent_txids).await {
                return;
            }
            loop {
                tokio::select! {
                    _ = latest_chain_tip.best_tip_changed() => return,
                    change = mempool_change.recv() => {
                        let txs = match change {
                            Ok(MempoolChange::Added(ids)) => mempool.transactions_by_id(ids).await,
                            Ok(MempoolChange::Mined(_)) => continue,
                            Err(RecvError::Lagged(_)) => mempool.full_transactions().await,
                            Err(RecvError::Closed) => return,
                        };
                        if !send_unseen_txs(txs, &response_sender, &mut sent_txids).await {
                            return;
                        }
                    }
                }
            }
        });

        ReceiverStream::new(response_receiver)
    }
}

async fn send_unseen_txs(
    transactions: Result<Vec<VerifiedUnminedTx>, Status>,
    response_sender: &mpsc::Sender<RawTransaction>,
    sent_txids: &mut HashSet<Hash>,
) -> bool {
    let Ok(transactions) = transactions else {
        return false;
    };
    for tx in transactions {
        if sent_txids.insert(tx.id) && response_sender.send(tx.data).await.is_err() {
            return false;
        }
    }
    true
}

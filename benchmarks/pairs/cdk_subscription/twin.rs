// As in PR #1023 the subscription is put into the index first and the state is read afterwards: an update is either broadcast to it or already in the snapshot (or both; `recv` drops what is not newer), so none is missed.
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::sync::{mpsc, RwLock};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofState {
    Unspent,
    Pending,
    Spent,
}

#[derive(Clone, Debug)]
pub struct Notification {
    pub y: String,
    pub state: ProofState,
    pub seq: u64,
}

#[async_trait::async_trait]
pub trait OnNewSubscription: Send + Sync {
    async fn on_new_subscription(&self, ys: &[String]) -> Vec<Notification>;
}

/// The proofs known to the mint; `seq` counts the changes.
#[derive(Default)]
pub struct ProofStore {
    proofs: RwLock<(u64, HashMap<String, Notification>)>,
}

#[async_trait::async_trait]
impl OnNewSubscription for ProofStore {
    async fn on_new_subscription(&self, ys: &[String]) -> Vec<Notification> {
        let proofs = self.proofs.read().await;
        ys.iter().filter_map(|y| proofs.1.get(y).cloned()).collect()
    }
}

type Index = Arc<RwLock<BTreeMap<String, Vec<mpsc::UnboundedSender<Notification>>>>>;

pub struct Mint {
    store: Arc<ProofStore>,
    index: Index,
}

pub struct ActiveSubscription {
    receiver: mpsc::UnboundedReceiver<Notification>,
    latest: HashMap<String, u64>,
}

impl ActiveSubscription {
    /// The next notification that tells something newer about its proof.
    pub async fn recv(&mut self) -> Option<Notification> {
        loop {
            let event = self.receiver.recv().await?;
            let latest = self.latest.entry(event.y.clone()).or_default();
            if event.seq > *latest {
                *latest = event.seq;
                return Some(event);
            }
        }
    }
}

impl Mint {
    pub fn new(store: Arc<ProofStore>) -> Self {
        Self { store, index: Index::default() }
    }

    pub async fn try_subscribe(&self, ys: Vec<String>) -> ActiveSubscription {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut index = self.index.write().await;
        for y in &ys {
            index.entry(y.clone()).or_default().push(sender.clone());
        }
        drop(index);
        for event in self.store.on_new_subscription(&ys).await {
            let _ = sender.send(event);
        }
        ActiveSubscription { receiver, latest: HashMap::new() }
    }

    pub async fn set_state(&self, y: &str, state: ProofState) {
        let event = {
            let mut proofs = self.store.proofs.write().await;
            proofs.0 += 1;
            let event = Notification { y: y.to_string(), state, seq: proofs.0 };
            proofs.1.insert(y.to_string(), event.clone());
            event
        };
        if let Some(subscribers) = self.index.write().await.get_mut(y) {
            subscribers.retain(|sender| sender.send(event.clone()).is_ok());
        }
    }
}

// cashubtc/cdk, PR #1023: subscribe() reads and sends the initial state first and registers the subscriber afterwards; a state change that a backend thread publishes in between is neither in the snapshot nor delivered, and the wallet waits for a payment that is already there.
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuoteState {
    Unpaid,
    Pending,
    Paid,
}

pub type Notification = (String, QuoteState);

type Index = BTreeMap<(String, u64), Sender<Notification>>;

#[derive(Default)]
pub struct PubSubManager {
    states: RwLock<HashMap<String, QuoteState>>,
    indexes: Mutex<Index>,
    next_id: AtomicU64,
}

impl PubSubManager {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Records a state and tells everyone who is subscribed to the quote.
    pub fn publish(&self, quote: &str, state: QuoteState) {
        let indexes = self.indexes.lock().unwrap();
        self.states.write().unwrap().insert(quote.to_string(), state);
        let range = (quote.to_string(), 0)..=(quote.to_string(), u64::MAX);
        for (_, sender) in indexes.range(range) {
            let _ = sender.send((quote.to_string(), state));
        }
    }

    /// Subscribes to a quote; its present state is the first notification.
    pub fn subscribe(self: &Arc<Self>, quote: &str) -> ActiveSubscription {
        let (sender, receiver) = channel();
        if let Some(state) = self.initial_state(quote) { //~
            let _ = sender.send((quote.to_string(), state));
        }
        let key = (quote.to_string(), self.next_id.fetch_add(1, Ordering::Relaxed));
        self.indexes.lock().unwrap().insert(key.clone(), sender); //~
        ActiveSubscription { key, receiver, manager: Arc::clone(self) }
    }

    fn initial_state(&self, quote: &str) -> Option<QuoteState> {
        self.states.read().unwrap().get(quote).copied()
    }
}

pub struct ActiveSubscription {
    key: (String, u64),
    receiver: Receiver<Notification>,
    manager: Arc<PubSubManager>,
}

impl ActiveSubscription {
    /// Waits until the quote is in the given state.
    pub fn wait_for(&self, wanted: QuoteState, timeout: Duration) -> Result<(), RecvTimeoutError> {
        loop {
            let (_, state) = self.receiver.recv_timeout(timeout)?;
            if state == wanted {
                return Ok(());
            }
        }
    }
}

impl Drop for ActiveSubscription {
    fn drop(&mut self) {
        self.manager.indexes.lock().unwrap().remove(&self.key);
    }
}

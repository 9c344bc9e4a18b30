// cashubtc/cdk PR #1023
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};
use tracing::debug;

pub type QuoteId = String;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteState {
    Unpaid,
    Paid,
    Issued,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub quote: QuoteId,
    pub state: QuoteState,
}

#[derive(Debug)]
pub enum Error {
    UnknownQuote(QuoteId),
    Database(String),
}

#[async_trait]
pub trait MintDatabase: Send + Sync {
    async fn get_quote_state(&self, quote: &QuoteId) -> Result<Option<QuoteState>, Error>;
    async fn set_quote_state(&self, quote: &QuoteId, state: QuoteState) -> Result<(), Error>;
}

struct Subscriber {
    id: u64,
    tx: mpsc::UnboundedSender<Notification>,
}

pub struct ActiveSubscription {
    pub id: u64,
    rx: mpsc::UnboundedReceiver<Notification>,
}

impl ActiveSubscription {
    pub async fn recv(&mut self) -> Option<Notification> {
        self.rx.recv().await
    }
}

type Index = HashMap<QuoteId, Vec<Subscriber>>;

pub struct PubSubManager {
    db: Arc<dyn MintDatabase>,
    indexes: Mutex<Index>,
    next_id: AtomicU64,
}

impl PubSubManager {
    pub fn new(db: Arc<dyn MintDatabase>) -> Arc<Self> {
        Arc::new(Self {
            db,
            indexes: Mutex::new(HashMap::new()),
            next_id: AtomicU64::new(0),
        })
    }

    async fn initial_state(&self, quote: &QuoteId) -> Result<Notification, Error> {
        let state = self
            .db
            .get_quote_state(quote)
            .await?
            .ok_or_else(|| Error::UnknownQuote(quote.clone()))?;
        Ok(Notification {
            quote: quote.clone(),
            state,
        })
    }

    pub async fn subscribe(&self, quote: QuoteId) -> Result<ActiveSubscription, Error> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (tx, rx) = mpsc::unbounded_channel();
        let mut indexes = self.indexes.lock().await;
        let initial = self.initial_state(&quote).await?;
        let _ = tx.send(initial);
        indexes.entry(quote).or_default().push(Subscriber { id, tx });
        debug!(id, "subscription created");
        Ok(ActiveSubscription { id, rx })
    }

    pub async fn update_quote(&self, quote: QuoteId, state: QuoteState) -> Result<usize, Error> {
        let mut indexes = self.indexes.lock().await;
        self.db.set_quote_state(&quote, state).await?;
        Ok(broadcast(&mut indexes, Notification { quote, state }))
    }

    pub async fn active(&self, quote: &QuoteId) -> usize {
        self.indexes.lock().await.get(quote).map_or(0, Vec::len)
    }
}

fn broadcast(indexes: &mut Index, event: Notification) -> usize {
    let Some(subscribers) = indexes.get_mut(&event.quote) else {
        return 0;
    };
    subscribers.retain(|s| {
        let delivered = s.tx.send(event.clone()).is_ok();
        if !delivered {
            debug!(id = s.id, "subscription closed");
        }
        delivered
    });
    subscribers.len()
}

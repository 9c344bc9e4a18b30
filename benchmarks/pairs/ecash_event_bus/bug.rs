// fedimint/ecash-app issue #504 (finding L5): `subscribe` opens the live channel and then, in another step, reads the history;
// an event published in between is delivered twice, from the history and from the channel (a deposit is shown twice).
use futures::stream::{self, Stream, StreamExt};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::broadcast;
use tokio::sync::RwLock;

#[derive(Debug, Clone, PartialEq)]
pub enum DepositEvent {
    AwaitingConfs { txid: String, needed: u64 },
    Claimed { amount_sats: u64 },
    Lightning { amount_msats: u64 },
}

/// What a subscriber gets: an event, or the news that it was too slow and has to reload.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery<T> {
    Event(T),
    Missed(u64),
}

#[derive(Clone)]
pub struct EventBus<T>
where
    T: Clone + Send + Sync + 'static,
{
    history: Arc<RwLock<VecDeque<T>>>,
    tx: broadcast::Sender<T>,
    history_limit: usize,
}

impl<T> EventBus<T>
where
    T: Clone + Send + Sync + 'static,
{
    pub fn new(capacity: usize, history_limit: usize) -> Self {
        let (tx, _) = broadcast::channel(capacity);
        Self { history: Arc::new(RwLock::new(VecDeque::new())), tx, history_limit }
    }

    /// Adds the event to history, removing old events if over history limit, then
    /// sends the event on the channel
    pub async fn publish(&self, event: T) {
        {
            let mut hist = self.history.write().await;
            hist.push_back(event.clone()); //~
            if hist.len() > self.history_limit {
                hist.pop_front();
            }
        }
        let _ = self.tx.send(event); //~
    }

    /// Returns a stream that yields all events in history, then all future events
    /// until the channel is closed
    pub async fn subscribe(&self) -> impl Stream<Item = Delivery<T>> + Send {
        let rx = self.tx.subscribe(); //~
        let history = self.history.read().await.clone(); //~
        let live = stream::unfold(rx, |mut rx| async move {
            match rx.recv().await {
                Ok(event) => Some((Delivery::Event(event), rx)),
                Err(broadcast::error::RecvError::Lagged(n)) => Some((Delivery::Missed(n), rx)),
                Err(broadcast::error::RecvError::Closed) => None,
            }
        });
        stream::iter(history).map(Delivery::Event).chain(live)
    }
}

pub struct Multimint {
    events: EventBus<DepositEvent>,
}

impl Multimint {
    pub fn new() -> Self {
        Self { events: EventBus::new(100, 1000) }
    }

    pub async fn deposit_claimed(&self, amount_sats: u64) {
        self.events.publish(DepositEvent::Claimed { amount_sats }).await;
    }

    pub async fn lightning_received(&self, amount_msats: u64) {
        self.events.publish(DepositEvent::Lightning { amount_msats }).await;
    }

    /// The toasts of the UI: one for each deposit, those before it was opened too.
    pub async fn subscribe_deposits(&self, toast: impl Fn(String)) {
        let mut events = Box::pin(self.events.subscribe().await);
        while let Some(delivery) = events.next().await {
            match delivery {
                Delivery::Event(DepositEvent::Claimed { amount_sats }) => toast(format!("{amount_sats} sats deposited")),
                Delivery::Event(DepositEvent::Lightning { amount_msats }) => toast(format!("{amount_msats} msats received")),
                Delivery::Event(DepositEvent::AwaitingConfs { txid, needed }) => toast(format!("{txid} needs {needed} confirmations")),
                Delivery::Missed(n) => toast(format!("{n} events missed, refresh the dashboard")),
            }
        }
    }
}

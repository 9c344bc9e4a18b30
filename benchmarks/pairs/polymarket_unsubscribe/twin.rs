// Polymarket/rs-clob-client PR 190, repaired: `Entry::Occupied`, as there; requests are sent with the entry held.
//! Manages the subscriptions of a CLOB websocket: one server-side subscription per asset or market,
//! shared by all local subscribers through reference counts.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{bail, Result};
use dashmap::{DashMap, Entry};
use tokio::sync::{broadcast, mpsc};

pub type AssetId = String;
pub type MarketId = u64;

#[derive(Debug, Clone, PartialEq)]
pub enum SubscriptionRequest {
    Market(AssetId),
    UnsubscribeMarket(AssetId),
    User(MarketId),
    UnsubscribeUser(MarketId),
}

#[derive(Debug, Clone)]
pub enum WsMessage {
    Book { asset_id: AssetId, bids: usize, asks: usize },
    Order { market: MarketId, id: String },
}

#[derive(Debug, Clone)]
pub enum SubscriptionTarget {
    Assets(Vec<AssetId>),
    Markets(Vec<MarketId>),
}

#[derive(Debug, Clone)]
pub struct SubscriptionInfo {
    pub target: SubscriptionTarget,
    pub created_at: Instant,
}

pub struct SubscriptionManager {
    connection: mpsc::UnboundedSender<SubscriptionRequest>,
    messages: broadcast::Sender<WsMessage>,
    next_id: AtomicU64,
    active_subs: DashMap<u64, SubscriptionInfo>,
    /// Subscribed assets with reference counts (for multiplexing)
    subscribed_assets: DashMap<AssetId, usize>,
    /// Subscribed markets with reference counts (for multiplexing)
    subscribed_markets: DashMap<MarketId, usize>,
}

impl SubscriptionManager {
    pub fn new(
        connection: mpsc::UnboundedSender<SubscriptionRequest>,
        messages: broadcast::Sender<WsMessage>,
    ) -> Self {
        Self {
            connection,
            messages,
            next_id: AtomicU64::new(1),
            active_subs: DashMap::new(),
            subscribed_assets: DashMap::new(),
            subscribed_markets: DashMap::new(),
        }
    }

    /// Counts a subscriber; the first one of a key subscribes at the server.
    fn retain<K: Eq + Hash + Clone>(
        &self,
        counts: &DashMap<K, usize>,
        key: &K,
        request: impl FnOnce(K) -> SubscriptionRequest,
    ) {
        match counts.entry(key.clone()) {
            Entry::Occupied(mut o) => *o.get_mut() += 1,
            Entry::Vacant(v) => {
                let _ = self.connection.send(request(key.clone()));
                v.insert(1);
            }
        }
    }

    /// Counts a subscriber off; the last one of a key unsubscribes at the server.
    fn release<K: Eq + Hash + Clone>(
        &self,
        counts: &DashMap<K, usize>,
        key: &K,
        request: impl FnOnce(K) -> SubscriptionRequest,
    ) {
        if let Entry::Occupied(mut refcount) = counts.entry(key.clone()) {
            *refcount.get_mut() = refcount.get().saturating_sub(1);
            if *refcount.get() == 0 {
                let _ = self.connection.send(request(key.clone()));
                refcount.remove();
            }
        }
    }

    pub fn subscribe_market(&self, asset_ids: Vec<AssetId>) -> Result<(u64, broadcast::Receiver<WsMessage>)> {
        if asset_ids.is_empty() {
            bail!("asset_ids cannot be empty");
        }
        let asset_ids: Vec<_> = asset_ids.into_iter().collect::<HashSet<_>>().into_iter().collect();
        let rx = self.messages.subscribe();
        for id in &asset_ids {
            self.retain(&self.subscribed_assets, id, SubscriptionRequest::Market);
        }
        Ok((self.register(SubscriptionTarget::Assets(asset_ids)), rx))
    }

    pub fn subscribe_user(&self, market: MarketId) -> (u64, broadcast::Receiver<WsMessage>) {
        let rx = self.messages.subscribe();
        self.retain(&self.subscribed_markets, &market, SubscriptionRequest::User);
        (self.register(SubscriptionTarget::Markets(vec![market])), rx)
    }

    fn register(&self, target: SubscriptionTarget) -> u64 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.active_subs.insert(id, SubscriptionInfo { target, created_at: Instant::now() });
        id
    }

    pub fn unsubscribe(&self, sub_id: u64) -> Result<()> {
        let Some((_, info)) = self.active_subs.remove(&sub_id) else {
            bail!("no subscription {sub_id}");
        };
        match info.target {
            SubscriptionTarget::Assets(ids) => ids.iter().for_each(|id| {
                self.release(&self.subscribed_assets, id, SubscriptionRequest::UnsubscribeMarket)
            }),
            SubscriptionTarget::Markets(ids) => ids.iter().for_each(|id| {
                self.release(&self.subscribed_markets, id, SubscriptionRequest::UnsubscribeUser)
            }),
        }
        Ok(())
    }
}

//! The task owns the hub whose sender it waits to be dropped.
use std::sync::{Arc, Mutex};
use tokio::sync::broadcast;
#[derive(Clone, Debug)]
pub struct Price { symbol: String, cents: u64 }
pub struct Ticker { prices: broadcast::Sender<Price>, last: Mutex<Option<Price>> }
impl Ticker {
    pub fn new() -> Arc<Self> {
        let ticker = Arc::new(Ticker { prices: broadcast::channel(32).0, last: Mutex::new(None) });
        ticker.clone().follow();
        ticker
    }
    fn follow(self: Arc<Self>) {
        let mut prices = self.prices.subscribe();
        tokio::spawn(async move { //~
            while let Ok(price) = prices.recv().await {
                self.keep(price);
            }
        });
    }
    fn keep(&self, price: Price) { *self.last.lock().unwrap() = Some(price); }
    pub fn publish(&self, price: Price) { let _ = self.prices.send(price); }
    pub fn last(&self) -> Option<u64> { self.last.lock().unwrap().as_ref().map(|p| p.cents) }
}

//! The slot is counted by who got it.
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::timeout;
#[derive(Default)]
struct Slots { used: u32 }
#[derive(Clone, Default)]
pub struct Throttle { slots: Arc<Mutex<Slots>>, most: u32 }
impl Throttle {
    pub fn new(most: u32) -> Self { Throttle { slots: Arc::default(), most } }
    pub async fn enter(&self) -> Result<(), &'static str> {
        let mut slots = timeout(Duration::from_millis(50), self.slots.lock()).await.map_err(|_| "slow")?;
        if slots.used >= self.most { return Err("full"); }
        slots.used += 1;
        Ok(())
    }
    pub async fn leave(&self) { let mut slots = self.slots.lock().await; slots.used = slots.used.saturating_sub(1); }
}

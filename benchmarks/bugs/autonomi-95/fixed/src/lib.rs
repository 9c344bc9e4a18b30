//! The spends a node has accepted, one per coin.

use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::RwLock;

#[derive(Clone, Copy, PartialEq)]
pub struct Spend {
    pub coin: u64,
    pub transaction: u64,
}

#[derive(Default)]
pub struct Spends {
    valid: RwLock<HashMap<u64, Spend>>,
}

impl Spends {
    /// Stores the spend, unless the coin went into another transaction.
    pub async fn try_add(&self, spend: Spend) -> Result<(), &'static str> {
        verify(&spend).await?;
        let mut valid = self.valid.write().await;
        match valid.get(&spend.coin) {
            Some(known) if *known != spend => return Err("double spend"),
            _ => valid.insert(spend.coin, spend),
        };
        Ok(())
    }

    pub async fn get(&self, coin: u64) -> Option<Spend> {
        self.valid.read().await.get(&coin).copied()
    }
}

async fn verify(_spend: &Spend) -> Result<(), &'static str> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    Ok(())
}

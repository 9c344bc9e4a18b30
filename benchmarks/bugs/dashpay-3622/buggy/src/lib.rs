//! A wallet that spends unspent outputs.

use std::time::Duration;
use tokio::sync::RwLock;

#[derive(Clone)]
pub struct Utxo {
    pub id: u64,
    pub value: u64,
}

#[derive(Default)]
pub struct Wallet {
    unspent: RwLock<Vec<Utxo>>,
}

impl Wallet {
    /// Takes in an output that pays to this wallet.
    pub async fn receive(&self, utxo: Utxo) {
        self.unspent.write().await.push(utxo);
    }

    /// Spends one output that covers `amount` and returns its id.
    pub async fn send(&self, amount: u64) -> Option<u64> {
        let id = {
            let unspent = self.unspent.write().await;
            unspent.iter().find(|utxo| utxo.value >= amount)?.id //~ RACE
        };
        broadcast(id).await;
        self.unspent.write().await.retain(|utxo| utxo.id != id); //~ RACE
        Some(id)
    }
}

async fn broadcast(_spent: u64) {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

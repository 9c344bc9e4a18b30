// async-lock: whoever reads with the right to upgrade is the only one who may write next.
use async_lock::{RwLock, RwLockUpgradableReadGuard};

#[derive(Clone, Debug, Default)]
pub struct Leader { pub node: Option<u32>, pub term: u64 }

#[derive(Default)]
pub struct Election { leader: RwLock<Leader> }

impl Election {
    pub async fn stand(&self, node: u32) -> Result<u64, u32> {
        let leader = self.leader.read().await; //~
        if let Some(other) = leader.node { return Err(other); }
        let term = leader.term + 1;
        drop(leader);
        *self.leader.write().await = Leader { node: Some(node), term }; //~
        Ok(term)
    }
    pub async fn step_down(&self) { self.leader.write().await.node = None; }
    pub async fn leader(&self) -> Option<u32> { self.leader.read().await.node }
}

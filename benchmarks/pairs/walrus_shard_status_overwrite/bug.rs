// MystenLabs/walrus PR #2530: sync starts in ActiveSync, awaits, then writes Active (or ActiveRecover) unconditionally over LockedToMove.
use anyhow::{bail, Result};
use async_trait::async_trait;
use parking_lot::RwLock as MapLock;
use std::collections::BTreeMap;
use std::sync::Arc;

pub type BlobId = [u8; 32];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardStatus {
    None,
    Active,
    ActiveSync,
    ActiveRecover,
    LockedToMove,
}

struct DBMap<K, V>(MapLock<BTreeMap<K, V>>);

impl<K: Ord, V: Clone> DBMap<K, V> {
    fn new() -> Self {
        DBMap(MapLock::new(BTreeMap::new()))
    }

    fn get(&self, key: &K) -> Option<V> {
        self.0.read().get(key).cloned()
    }

    fn insert(&self, key: K, value: V) {
        self.0.write().insert(key, value);
    }

    fn remove(&self, key: &K) {
        self.0.write().remove(key);
    }
}

#[async_trait]
pub trait ShardSyncClient: Send + Sync {
    async fn fetch_slivers(&self, shard: u16, after: Option<BlobId>) -> Result<Vec<(BlobId, Vec<u8>)>>;
    async fn recover_missing_slivers(&self, shard: u16) -> Result<Vec<(BlobId, Vec<u8>)>>;
}

pub struct ShardStorage {
    id: u16,
    shard_status: DBMap<(), ShardStatus>,
    slivers: DBMap<BlobId, Vec<u8>>,
    shard_sync_progress: DBMap<(), BlobId>,
    client: Arc<dyn ShardSyncClient>,
}

impl ShardStorage {
    pub fn open(id: u16, initial_shard_status: ShardStatus, client: Arc<dyn ShardSyncClient>) -> Self {
        let shard_status = DBMap::new();
        shard_status.insert((), initial_shard_status);
        ShardStorage {
            id,
            shard_status,
            slivers: DBMap::new(),
            shard_sync_progress: DBMap::new(),
            client,
        }
    }

    pub async fn status(&self) -> ShardStatus {
        self.shard_status.get(&()).unwrap_or(ShardStatus::None)
    }

    pub async fn start_sync_shard_before_epoch(&self) -> Result<()> {
        let shard_status = self.status().await;
        match shard_status {
            ShardStatus::ActiveSync => {
                self.sync_shard_before_epoch_internal().await?;
                self.recovery_any_missing_slivers().await?;
            }
            ShardStatus::ActiveRecover => self.recovery_any_missing_slivers().await?,
            _ => bail!("unexpected shard status at the beginning of a shard sync: {shard_status:?}"),
        }
        self.shard_status.insert((), ShardStatus::Active);
        self.shard_sync_progress.remove(&());
        Ok(())
    }

    async fn sync_shard_before_epoch_internal(&self) -> Result<()> {
        let last_synced = self.shard_sync_progress.get(&());
        for (blob_id, sliver) in self.client.fetch_slivers(self.id, last_synced).await? {
            self.slivers.insert(blob_id, sliver);
            self.shard_sync_progress.insert((), blob_id);
        }
        Ok(())
    }

    async fn recovery_any_missing_slivers(&self) -> Result<()> {
        self.shard_status.insert((), ShardStatus::ActiveRecover);
        for (blob_id, sliver) in self.client.recover_missing_slivers(self.id).await? {
            self.slivers.insert(blob_id, sliver);
        }
        Ok(())
    }

    pub async fn lock_shard_for_epoch_change(&self) {
        self.shard_status.insert((), ShardStatus::LockedToMove);
    }
}

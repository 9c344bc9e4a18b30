// Repaired as in seaweedfs/seaweedfs PR #11356: the map and the time of its refresh are one value under one lock.

use std::collections::HashMap;
use std::sync::RwLock;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use thiserror::Error;

pub type ShardId = u8;
pub type VolumeId = u32;
type Locations = HashMap<ShardId, Vec<String>>;

#[derive(Debug, Error)]
pub enum EcError {
    #[error("volume {0}: the master knows {1} shards only")]
    TooFewShards(VolumeId, usize),
    #[error("lookup: {0}")]
    Lookup(String),
}

#[async_trait]
pub trait MasterClient: Send + Sync {
    async fn lookup_ec_volume(&self, volume: VolumeId) -> Result<Locations, EcError>;
}

#[derive(Default)]
struct ShardLocations {
    map: Locations,
    refreshed_at: Option<Instant>,
}

pub struct EcVolume {
    pub volume_id: VolumeId,
    pub data_shards: usize,
    pub parity_shards: usize,
    shard_locations: RwLock<ShardLocations>,
    refreshing: tokio::sync::Mutex<()>,
}

pub struct Snapshot {
    pub cached_locations: Locations,
    pub cache_refreshed_at: Option<Instant>,
}

impl EcVolume {
    pub fn new(volume_id: VolumeId, data_shards: usize, parity_shards: usize) -> Self {
        Self {
            volume_id,
            data_shards,
            parity_shards,
            shard_locations: RwLock::default(),
            refreshing: tokio::sync::Mutex::new(()),
        }
    }

    pub fn build_snapshot(&self) -> Snapshot {
        let locations = self.shard_locations.read().unwrap();
        Snapshot { cached_locations: locations.map.clone(), cache_refreshed_at: locations.refreshed_at }
    }

    fn merge_shard_locations(&self, fresh: Locations) {
        let mut locations = self.shard_locations.write().unwrap();
        locations.map.extend(fresh);
        locations.refreshed_at = Some(Instant::now());
    }

    fn needs_refresh(&self, snapshot: &Snapshot) -> bool {
        let Some(refreshed_at) = snapshot.cache_refreshed_at else {
            return true;
        };
        let known = snapshot.cached_locations.len();
        let fresh_for = if known < self.data_shards {
            Duration::from_secs(11)
        } else if known == self.data_shards + self.parity_shards {
            Duration::from_secs(37 * 60)
        } else {
            Duration::from_secs(7 * 60)
        };
        refreshed_at.elapsed() > fresh_for
    }
}

/// Where the shards of the volume are; the master is asked if what is known is too old.
pub async fn cached_lookup_ec_shard_locations<M: MasterClient>(
    master: &M,
    volume: &EcVolume,
) -> Result<Locations, EcError> {
    let snapshot = volume.build_snapshot();
    if !volume.needs_refresh(&snapshot) {
        return Ok(snapshot.cached_locations);
    }
    let _refreshing = volume.refreshing.lock().await;
    let snapshot = volume.build_snapshot();
    if !volume.needs_refresh(&snapshot) {
        return Ok(snapshot.cached_locations);
    }
    let fresh = master.lookup_ec_volume(volume.volume_id).await?;
    if fresh.len() < volume.data_shards {
        return Err(EcError::TooFewShards(volume.volume_id, fresh.len()));
    }
    volume.merge_shard_locations(fresh);
    Ok(volume.build_snapshot().cached_locations)
}

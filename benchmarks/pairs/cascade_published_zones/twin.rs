// Repaired as in NLnetLabs/cascade PR #369: the sets are changed with `rcu`, which begins again if another has
// changed the set meanwhile.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use thiserror::Error;
use tokio::sync::mpsc;

#[derive(Debug, Error)]
pub enum PublishError {
    #[error("zone {0} has not been signed")]
    NotSigned(String),
    #[error("the notifier is gone")]
    NotifierGone,
}

#[derive(Debug)]
pub struct Zone {
    pub apex: String,
    pub serial: u32,
    pub records: Vec<String>,
}

#[derive(Debug, Default, Clone)]
pub struct ZoneTree {
    zones: HashMap<String, Arc<Zone>>,
}

impl ZoneTree {
    pub fn get_zone(&self, apex: &str) -> Option<&Arc<Zone>> {
        self.zones.get(apex)
    }

    fn insert_zone(&mut self, zone: Arc<Zone>) {
        match self.zones.get(&zone.apex) {
            Some(present) if present.serial > zone.serial => {}
            _ => {
                self.zones.insert(zone.apex.clone(), zone);
            }
        }
    }

    fn remove_zone(&mut self, zone: &Arc<Zone>) {
        if self.zones.get(&zone.apex).is_some_and(|present| Arc::ptr_eq(present, zone)) {
            self.zones.remove(&zone.apex);
        }
    }
}

#[derive(Default)]
pub struct Center {
    pub signed_zones: ArcSwap<ZoneTree>,
    pub published_zones: ArcSwap<ZoneTree>,
}

pub struct ZoneServer {
    center: Arc<Center>,
    notify_tx: mpsc::Sender<(String, u32)>,
}

impl ZoneServer {
    pub fn new(center: Arc<Center>, notify_tx: mpsc::Sender<(String, u32)>) -> Self {
        Self { center, notify_tx }
    }

    pub fn zone_signed(&self, zone: Zone) {
        let zone = Arc::new(zone);
        self.center.signed_zones.rcu(|zones| {
            let mut new_signed_zones = ZoneTree::clone(zones);
            new_signed_zones.insert_zone(zone.clone());
            new_signed_zones
        });
    }

    pub async fn on_publish_signed_zone(&self, apex: &str) -> Result<u32, PublishError> {
        let zone = self
            .center
            .signed_zones
            .load()
            .get_zone(apex)
            .cloned()
            .ok_or_else(|| PublishError::NotSigned(apex.to_string()))?;

        tracing::info!(apex, serial = zone.serial, "adding to the set of published zones");
        self.center.published_zones.rcu(|zones| {
            let mut new_published_zones = ZoneTree::clone(zones);
            new_published_zones.insert_zone(zone.clone());
            new_published_zones
        });

        self.center.signed_zones.rcu(|zones| {
            let mut new_signed_zones = ZoneTree::clone(zones);
            new_signed_zones.remove_zone(&zone);
            new_signed_zones
        });

        self.notify_tx
            .send((zone.apex.clone(), zone.serial))
            .await
            .map_err(|_| PublishError::NotifierGone)?;
        Ok(zone.serial)
    }

    pub fn answer(&self, apex: &str) -> Option<Vec<String>> {
        self.center.published_zones.load().get_zone(apex).map(|zone| zone.records.clone())
    }
}

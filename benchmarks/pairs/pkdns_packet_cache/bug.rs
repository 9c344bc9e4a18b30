// pubky/pkdns PR #51
use async_trait::async_trait;
use bytes::Bytes;
use dashmap::DashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub type PublicKey = [u8; 32];

#[derive(Debug)]
pub enum ResolveError {
    Dht(String),
    Oversized(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedPacket {
    pub timestamp: u64,
    pub payload: Bytes,
}

#[async_trait]
pub trait Dht: Send + Sync {
    async fn get(&self, key: &PublicKey) -> Result<Option<SignedPacket>, ResolveError>;
    async fn put(&self, key: &PublicKey, packet: &SignedPacket) -> Result<(), ResolveError>;
}

#[derive(Default)]
struct CacheEntry {
    packet: Option<SignedPacket>,
    checked_at: Option<Instant>,
}

impl CacheEntry {
    fn is_fresh(&self, ttl: Duration) -> bool {
        self.checked_at.is_some_and(|at| at.elapsed() < ttl)
    }

    fn merge(&mut self, found: Option<SignedPacket>) {
        let newest = self.packet.as_ref().map_or(0, |p| p.timestamp);
        if let Some(packet) = found.filter(|p| p.timestamp > newest) {
            self.packet = Some(packet);
        }
    }
}

pub struct PkarrResolver {
    dht: Arc<dyn Dht>,
    cache: DashMap<PublicKey, CacheEntry>,
    ttl: Duration,
}

impl PkarrResolver {
    const MAX_PAYLOAD: usize = 1000;

    pub fn new(dht: Arc<dyn Dht>, ttl: Duration) -> Self {
        Self {
            dht,
            cache: DashMap::new(),
            ttl,
        }
    }

    pub async fn resolve(&self, key: PublicKey) -> Result<Option<SignedPacket>, ResolveError> {
        let mut entry = self.cache.entry(key).or_default();
        if entry.is_fresh(self.ttl) {
            return Ok(entry.packet.clone());
        }
        let found = self.dht.get(&key).await?;
        entry.merge(found);
        entry.checked_at = Some(Instant::now());
        Ok(entry.packet.clone())
    }

    pub async fn publish(&self, key: PublicKey, packet: SignedPacket) -> Result<(), ResolveError> {
        if packet.payload.len() > Self::MAX_PAYLOAD {
            return Err(ResolveError::Oversized(packet.payload.len()));
        }
        self.dht.put(&key, &packet).await?;
        self.cache.entry(key).or_default().merge(Some(packet));
        Ok(())
    }

    pub fn cached(&self) -> usize {
        self.cache.len()
    }
}
